import Testing
import TestSupport
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct SocketEndpointsTests {
    @Test(arguments: ["tcp://127.0.0.1:0", "tcp://127.0.0.1:*", "tcp://*:0", "ipc://*"])
    func bindingAWildcardTellsWhereItListens(text: String) throws {
        let context = try Context()
        let pull = try Socket(context, .pull)
        let bound = try pull.bind(try Endpoint(text))
        #expect(bound.isConnectable, "\(bound)")
        #expect(bound.port != 0)
    }

    @Test(.enabled(if: RawPeer.machineHasIPv6))
    func anIPv6EndpointIsBoundAndReached() throws {
        let context = try Context()
        let pull = try Socket(context, .pull)
        let push = try Socket(context, .push)
        let bound = try pull.bind(try Endpoint("tcp://[::1]:0"))
        #expect(bound.isLoopback)
        try push.connect(bound)
        try push.deliver([6])
        #expect(try pull.nextMessage() == [[6]])
    }

    @Test(arguments: [TransportCase.tcp, .inproc])
    func anEndpointInUseIsToldAndLeavesTheSocketUsable(transport: TransportCase) throws {
        try transport.withEndpoint { endpoint in
            let context = try Context()
            let first = try Socket(context, .pull)
            let taken = try first.bind(endpoint)
            let second = try Socket(context, .pull)
            let error = failure { () throws(ZeroMQError) in try second.bind(taken) }
            #expect(error?.isAddressInUse == true)
            #expect(error?.during == .binding)
            try first.unbind(taken)
            let deadline = ContinuousClock.now + patience
            // libzmq closes the listener on another thread.
            while failure(of: { () throws(ZeroMQError) in try second.bind(taken) }) != nil {
                try #require(ContinuousClock.now < deadline)
            }
        }
    }

    @Test func whatCannotBeBoundOrLeftIsTold() throws {
        let context = try Context()
        let socket = try Socket(context, .pull)
        let cases: [(String, (ZeroMQError) -> Bool)] = [
            ("ipc:///no/such/folder/socket", { $0.isNotFound }),
            ("tcp://192.0.2.1:0", { $0.isAddressNotAvailable }),
            ("tcp://nosuchinterface:0", { $0.isAddressNotAvailable }),
        ]
        for (text, isExpected) in cases {
            let endpoint = try Endpoint(text)
            let error = failure { () throws(ZeroMQError) in try socket.bind(endpoint) }
            #expect(error.map(isExpected) == true, "\(text): \(String(describing: error))")
        }
        let stranger = try Endpoint("tcp://127.0.0.1:1")
        let leaving = failure { () throws(ZeroMQError) in try socket.disconnect(stranger) }
        #expect(leaving?.isNotFound == true)
        let wildcard = try Endpoint("tcp://*:0")
        let connecting = failure { () throws(ZeroMQError) in try socket.connect(wildcard) }
        #expect(connecting?.during == .connecting)
    }

    @Test func disconnectingEndsTheConversation() throws {
        let context = try Context()
        let pull = try Socket(context, .pull)
        let push = try Socket(context, .push)
        let address = try pull.bind(try Endpoint("tcp://127.0.0.1:0"))
        try push.set(.immediate, to: true)
        try push.connect(address)
        try push.deliver([1])
        _ = try pull.nextMessage()
        try push.disconnect(address)
        // libzmq disconnects on another thread. What it still takes until then does not fill up.
        let deadline = ContinuousClock.now + patience
        var outcome = SendOutcome.sent
        while outcome == .sent, ContinuousClock.now < deadline {
            outcome = try push.sendFrame([2])
            while try pull.messageIfAny() != nil {}
        }
        #expect(outcome == .wouldBlock)
    }
}
