import ByteCoding
import Testing
import TestSupport

@testable import ZeroMQ

/// Who was turned away, and is let in now.
@Suite(.timeLimit(.minutes(2))) struct SecondKnockTests {
    /// Long enough for a handshake.
    private static let pause: Duration = .milliseconds(500)

    @Test func aNewlyAdmittedClientConnectsOnlyByRetryingTheHandshake() throws {
        let keys = try CurveKeyPair.generate()
        let server = try KeyedServer([:])
        defer { #expect(server.end()) }
        let router = try Socket(server.context, .router)
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        let dealer = try Socket(Context(keys: keys), .dealer)
        try dealer.connect(endpoint)
        let start = ContinuousClock.now
        var knock = SecondKnock(at: endpoint, pause: Self.pause)
        try waitUntil("the first knock") { server.asked.count == 1 }
        server.admit(keys.publicKey, as: 7)
        // Twice as long as libzmq pauses at first where it tries again.
        #expect(try !dealer.becomesWritable(within: ZeroMQLimits.reconnectIntervalDefault * 2))
        #expect(server.asked.count == 1)
        try waitUntil("a connection") {
            try knock.tryAgain(dealer)
            return try dealer.isWritable
        }
        #expect(ContinuousClock.now - start >= Self.pause && server.asked.count >= 2)
        // Whoever is in is left alone.
        let asked = server.asked.count
        let late = ContinuousClock.now + Self.pause * 2
        while ContinuousClock.now < late {
            try knock.tryAgain(dealer)
            try #require(try dealer.isWritable)
        }
        #expect(server.asked.count == asked)
    }

    @Test func anEndpointWithoutAServerKeyIsNotRetried() throws {
        let context = try Context()
        let place = try Endpoint("inproc://nobody-\(UInt64.random(in: 0 ... .max))")
        let dealer = try Socket(context, .dealer)
        var knock = SecondKnock(at: place, pause: .zero)
        // The socket was never connected: a knock would do that.
        try knock.tryAgain(dealer)
        let router = try Socket(context, .router)
        _ = try router.bind(place)
        #expect(try !dealer.isWritable)
    }

}

extension Socket {
    fileprivate borrowing func becomesWritable(within patience: Duration) throws -> Bool {
        var poller = Poller()
        _ = poller.add(self, for: .writable)
        _ = try poller.wait(timeout: patience)
        return try isWritable
    }
}
