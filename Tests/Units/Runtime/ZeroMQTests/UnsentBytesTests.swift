import Testing

@testable import ZeroMQ

/// What peers have not taken yet, counted until libzmq lets go of it.
@Suite struct UnsentBytesTests {
    private static func frame(_ count: Int, _ account: UnsentBytes) -> Frame {
        Frame(copying: [UInt8](repeating: 7, count: count), countedIn: account)
    }

    @Test func aFrameCountsUntilItIsLetGoOf() {
        let account = UnsentBytes()
        do {
            let frame = Self.frame(1_000, account)
            #expect(account.value == 1_000 && frame.bytes.count == 1_000)
        }
        #expect(account.value == 0)
    }

    @Test func aReadingPeerFreesItsUnsentBytes() throws {
        let context = try Context()
        let server = try Socket(context, .router)
        let endpoint = try server.bind(try Endpoint("tcp://127.0.0.1:*"))
        let client = try Socket(context, .dealer)
        // Else libzmq reads on its behalf without end.
        try client.set(.receiveHighWaterMark, to: .messages(2))
        try client.connect(endpoint)
        try client.deliver([1])
        let peer = try #require(try server.nextMessage().first)

        var ledger = UnsentLedger<[UInt8], Int>(
            .init(peerBytesMax: 8 << 20, holderBytesMax: 8 << 20, allBytesMax: 8 << 20))
        var sent = 0
        while ledger.hasRoom(for: peer, of: nil) {
            var frame = Self.frame(1 << 20, ledger.account(of: peer, of: nil))
            #expect(try server.sendFrame(peer, more: true) == .sent)
            #expect(try server.send(&frame, more: false) == .sent)
            sent += 1
            try #require(sent < 1_000)
        }
        // Some more than that is on the way, in the system's buffers.
        #expect(sent >= 8)
        var received = 0
        var body = Frame()
        var reading = Poller()
        _ = reading.add(client, for: .readable)
        while received < sent {
            _ = try reading.wait(timeout: .seconds(10))
            while try client.receive(into: &body) {
                #expect(body.bytes.count == 1 << 20)
                received += 1
            }
        }
        // The last is let go of by libzmq's own thread.
        let end = ContinuousClock.now + .seconds(10)
        while !ledger.hasRoom(for: peer, of: nil) || ledger.account(of: peer, of: nil).value > 0,
            ContinuousClock.now < end
        {
            _ = try reading.wait(timeout: .milliseconds(1))
        }
        #expect(ledger.account(of: peer, of: nil).value == 0)
    }
}
