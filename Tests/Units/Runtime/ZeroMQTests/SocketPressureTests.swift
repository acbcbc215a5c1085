import Testing
import TestSupport
import ZeroMQ

/// What happens when there is no room, nobody there, or too much at once.
@Suite(.timeLimit(.minutes(2))) struct SocketPressureTests {
    private func numbered(_ number: Int, length: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt64(number).littleEndian) { Array($0) }
            + [UInt8](repeating: 0, count: length)
    }

    @Test(arguments: TransportCase.allCases)
    func aFullQueueIsToldAndWhatWasSentArrives(transport: TransportCase) throws {
        try transport.withEndpoint { endpoint in
            let context = try Context()
            let router = try Socket(context, .router)
            try router.set(.sendHighWaterMark, to: 10)
            let dealer = try Socket(context, .dealer)
            try dealer.set(.receiveHighWaterMark, to: .messages(10))
            try dealer.connect(try router.bind(endpoint))
            try dealer.deliver([0])
            let peer = try router.nextMessage()[0]

            var sentCount = 0
            var outcome = try router.sendFrame(peer, more: true)
            while outcome == .sent, sentCount < 10_000 {
                let body = try router.sendFrame(numbered(sentCount, length: 50_000))
                #expect(body == .sent, "a message is refused with its first frame or not at all")
                sentCount += 1
                outcome = try router.sendFrame(peer, more: true)
            }
            #expect(outcome == .wouldBlock)
            #expect(sentCount >= 10)

            for number in 0..<sentCount {
                let message = try dealer.nextMessage()
                #expect(message.map { Array($0.prefix(8)) } == [numbered(number, length: 0)])
            }
            // There is room again, and nothing that was refused comes after all.
            while try router.sendFrame(peer, more: true) != .sent {}
            #expect(try router.sendFrame([77]) == .sent)
            #expect(try dealer.nextMessage() == [[77]])
        }
    }

    @Test func sendingToAnUnknownPeerIsUnreachableAndHarmless() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        let dealer = try Socket(context, .dealer)
        try dealer.connect(try router.bind(try Endpoint("tcp://127.0.0.1:0")))
        let nobody = try router.sendFrame([1, 2, 3, 4, 5], more: true)
        #expect(nobody == .unreachable)
        try dealer.deliver([8])
        let peer = try router.nextMessage()[0]
        try router.deliver(peer, [9])
        #expect(try dealer.nextMessage() == [[9]])
    }

    @Test func aPeerThatLeftBecomesUnreachable() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        let address = try router.bind(try Endpoint("tcp://127.0.0.1:0"))
        let peer: [UInt8]
        do {
            let dealer = try Socket(context, .dealer)
            try dealer.connect(address)
            try dealer.deliver([1])
            peer = try router.nextMessage()[0]
        }
        let deadline = ContinuousClock.now + patience
        var outcome = SendOutcome.sent
        while outcome != .unreachable, ContinuousClock.now < deadline {
            outcome = try router.sendFrame(peer, more: true)
            if outcome == .sent { _ = try router.sendFrame([2]) }
            // A full queue is found dead only by an owner who goes on receiving.
            _ = try router.messageIfAny()
        }
        #expect(outcome == .unreachable)
    }

    @Test func anOversizedFrameClosesOnlyItsConnection() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        try router.set(.maxMessageBytes, to: 1_024)
        let address = try router.bind(try Endpoint("tcp://127.0.0.1:0"))
        let raw = try RawPeer(port: try #require(address.port))
        let longest = [UInt8](repeating: 1, count: 1_024)
        try #require(raw.shakesHands(as: "DEALER"))
        raw.say(Zmtp.frame(longest))
        #expect(try router.nextMessage()[1] == longest)
        raw.say(Zmtp.frame(longest + [1]))
        #expect(raw.isHungUpOn())

        let dealer = try Socket(context, .dealer)
        try dealer.connect(address)
        try dealer.deliver([2])
        #expect(try router.nextMessage().last == [2], "the long frame was not delivered")
    }

    @Test func aPeerThatSaysNothingIsCutOff() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        try router.set(.handshakeInterval, to: .milliseconds(100))
        let address = try router.bind(try Endpoint("tcp://127.0.0.1:0"))
        let raw = try RawPeer(port: try #require(address.port))
        #expect(raw.isHungUpOn())
    }
}
