import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct SocketRoundTripTests {
    @Test(arguments: TransportCase.allCases)
    func aRouterAnswersEachDealerUnderItsOwnName(transport: TransportCase) throws {
        try transport.withEndpoint { endpoint in
            let context = try Context()
            let router = try Socket(context, .router)
            let address = try router.bind(endpoint)
            let first = try Socket(context, .dealer)
            let second = try Socket(context, .dealer)
            try first.connect(address)
            try second.connect(address)
            try first.deliver([1])
            try second.deliver([2])
            for _ in 0..<2 {
                let message = try router.nextMessage()
                #expect(message.count == 2)
                try router.deliver(message[0], message[1] + [9])
            }
            #expect(try first.nextMessage() == [[1, 9]])
            #expect(try second.nextMessage() == [[2, 9]])
        }
    }

    @Test(arguments: TransportCase.allCases)
    func aBatchOfFramesOfEverySizeArrivesWholeAndInOrder(transport: TransportCase) throws {
        // Around the lengths at which libzmq changes how it holds or writes a frame.
        let lengths = [0, 1, 29, 30, 33, 34, 255, 256, 8_191, 8_192, 8_193, 70_000, 1 << 20]
        let frames = lengths.map { length in (0..<length).map { UInt8($0 * 7 & 0xFF) } }
        try transport.withEndpoint { endpoint in
            let context = try Context()
            let router = try Socket(context, .router)
            let dealer = try Socket(context, .dealer)
            try dealer.connect(try router.bind(endpoint))
            for _ in 0..<5 {
                try dealer.waitUntilReady(for: .writable)
                for (index, frame) in frames.enumerated() {
                    let outcome = try dealer.sendFrame(frame, more: index < frames.count - 1)
                    #expect(outcome == .sent)
                }
            }
            for _ in 0..<5 {
                let message = try router.nextMessage()
                #expect(Array(message.dropFirst()) == frames)
            }
        }
    }

    @Test func aFrameIsForwardedWithoutACopyAndIsEmptyAfterwards() throws {
        let context = try Context()
        let endpoint = try Endpoint("inproc://forward")
        let left = try Socket(context, .pair)
        let right = try Socket(context, .pair)
        try left.bind(endpoint)
        try right.connect(endpoint)
        var frame = Frame(copying: [UInt8](repeating: 5, count: 10_000))
        let address = frame.bytes.baseAddress
        let outcome = try left.send(&frame, more: false)
        #expect(outcome == .sent)
        let rest = frame.bytes.count
        #expect(rest == 0)
        let received = try right.receive(into: &frame)
        #expect(received)
        let (arrived, length) = (frame.bytes.baseAddress, frame.bytes.count)
        #expect(arrived == address)
        #expect(length == 10_000)
    }

    @Test func receivingNothingAndSendingWithoutAPeerReturnAtOnce() throws {
        let context = try Context()
        let dealer = try Socket(context, .dealer)
        var frame = Frame(copying: [1, 2])
        let outcome = try dealer.send(&frame, more: false)
        #expect(outcome == .wouldBlock)
        let kept = Array(frame.bytes)
        #expect(kept == [1, 2], "a frame that was not sent is untouched")
        let received = try dealer.receive(into: &frame)
        let rest = frame.bytes.count
        #expect(!received && rest == 0)
        let (isReadable, isWritable) = (try dealer.isReadable, try dealer.isWritable)
        #expect(!isReadable && !isWritable)
    }

    @Test func readinessIsSeenAsSoonAsTheMessageIsThere() throws {
        let context = try Context()
        let push = try Socket(context, .push)
        let pull = try Socket(context, .pull)
        try push.connect(try pull.bind(try Endpoint("inproc://ready")))
        try push.deliver([1])
        let before = try pull.isReadable
        _ = try pull.nextMessage()
        let after = try pull.isReadable
        #expect(before && !after)
    }
}
