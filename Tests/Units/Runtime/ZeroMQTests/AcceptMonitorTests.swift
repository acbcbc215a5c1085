import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct AcceptMonitorTests {
    /// The next report, which comes from libzmq's own thread.
    private static func wait(
        for monitor: AcceptMonitor, patience: Duration = .seconds(10)
    ) throws -> AcceptMonitor.Report? {
        var poller = Poller()
        _ = poller.add(monitor)
        let end = ContinuousClock.now + patience
        while true {
            if let report = try monitor.next() { return report }
            let left = end - ContinuousClock.now
            guard left > .zero else { return nil }
            _ = try poller.wait(timeout: left)
        }
    }

    @Test(arguments: [TransportCase.tcp, .ipc])
    func whatIsAcceptedIsReportedAndCanBeCut(transport: TransportCase) throws {
        try transport.withEndpoint { place in
            let context = try Context()
            let router = try Socket(context, .router)
            let monitor = try AcceptMonitor(context, of: try router.reportAccepted())
            let endpoint = try router.bind(place)
            #expect(try monitor.next() == nil)
            let dealer = try Socket(Context(), .dealer)
            try dealer.connect(endpoint)
            guard case .accepted(let first)? = try Self.wait(for: monitor) else {
                Issue.record("the connection is reported")
                return
            }
            #expect(first.descriptor > 2)
            #expect((first.port == 0) == (transport == .ipc))
            #expect(first.cut())
            // Its peer notices, and comes again.
            guard case .accepted? = try Self.wait(for: monitor) else {
                Issue.record("the peer of a connection that was cut connects anew")
                return
            }
        }
    }

    @Test func whatIsNoConnectionToThatPortIsLeftAlone() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        let monitor = try AcceptMonitor(context, of: try router.reportAccepted())
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        let dealer = try Socket(Context(), .dealer)
        try dealer.connect(endpoint)
        guard case .accepted(let first)? = try Self.wait(for: monitor) else {
            Issue.record("the connection is reported")
            return
        }
        #expect(!AcceptedConnection(descriptor: first.descriptor, port: first.port &+ 1).cut())
        #expect(!AcceptedConnection(descriptor: 1 << 20, port: first.port).cut())
        let wakeup = try Wakeup()
        #expect(!AcceptedConnection(descriptor: wakeup.descriptor, port: first.port).cut())
        try dealer.deliver([1])
        #expect(try router.nextMessage().count == 2)
    }

    @Test func aListeningSocketIsNeverShut() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        let monitor = try AcceptMonitor(context, of: try router.reportAccepted())
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        let one = try Socket(Context(), .dealer)
        try one.connect(endpoint)
        guard case .accepted(let first)? = try Self.wait(for: monitor) else {
            Issue.record("the connection is reported")
            return
        }
        // The listening socket is one of these, and is bound to the same port.
        for descriptor in CInt(0)..<4_096 where descriptor != first.descriptor {
            let other = AcceptedConnection(descriptor: descriptor, port: first.port)
            #expect(!other.cut(), "descriptor \(descriptor)")
        }
        let two = try Socket(Context(), .dealer)
        try two.connect(endpoint)
        guard case .accepted? = try Self.wait(for: monitor) else {
            Issue.record("it goes on accepting")
            return
        }
    }

    @Test func theEndOfASocketIsReported() throws {
        let context = try Context()
        let monitor: AcceptMonitor
        do {
            let router = try Socket(context, .router)
            monitor = try AcceptMonitor(context, of: try router.reportAccepted())
            _ = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        }
        #expect(try Self.wait(for: monitor) == .ended)
    }
}
