import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct SocketSubscriptionTests {
    private let orders: [UInt8] = [0, 0, 0, 1]
    private let people: [UInt8] = [0, 0, 0, 2]

    @Test(arguments: TransportCase.allCases)
    func aSubscriberGetsTheFramesThatBeginWithItsTopic(transport: TransportCase) throws {
        try transport.withEndpoint { endpoint in
            let context = try Context()
            let publisher = try Socket(context, .xpub)
            let subscriber = try Socket(context, .sub)
            try subscriber.connect(try publisher.bind(endpoint))
            try subscriber.subscribe(prefix: orders)
            #expect(try publisher.nextMessage() == [[1] + orders])
            for number: UInt8 in 0..<20 {
                try publisher.deliver(people + [number])
                try publisher.deliver(orders + [number])
            }
            for number: UInt8 in 0..<20 {
                #expect(try subscriber.nextMessage() == [orders + [number]])
            }
            #expect(try subscriber.messageIfAny() == nil)
            try subscriber.unsubscribe(prefix: orders)
            #expect(try publisher.nextMessage() == [[0] + orders])
        }
    }

    @Test func aVerbosePublisherReportsEverySubscriptionAndOthersOncePerTopic() throws {
        for isVerbose in [true, false] {
            let context = try Context()
            let publisher = try Socket(context, .xpub)
            try publisher.set(.xpubVerbose, to: isVerbose)
            let address = try publisher.bind(try Endpoint("inproc://verbose"))
            let first = try Socket(context, .sub)
            let second = try Socket(context, .sub)
            try first.connect(address)
            try second.connect(address)
            try first.subscribe(prefix: orders)
            #expect(try publisher.nextMessage() == [[1] + orders])
            try second.subscribe(prefix: orders)
            try second.subscribe(prefix: people)
            let expected = isVerbose ? [[1] + orders, [1] + people] : [[1] + people]
            for subscription in expected {
                #expect(try publisher.nextMessage() == [subscription])
            }
        }
    }

    @Test func theLongestSubscriptionArrives() throws {
        let context = try Context()
        let publisher = try Socket(context, .xpub)
        let subscriber = try Socket(context, .sub)
        try subscriber.connect(try publisher.bind(try Endpoint("tcp://127.0.0.1:0")))
        let topic = [UInt8](repeating: 7, count: ZeroMQLimits.subscriptionBytesMax)
        try subscriber.subscribe(prefix: topic)
        #expect(try publisher.nextMessage() == [[1] + topic])
        try publisher.deliver(topic + [1])
        #expect(try subscriber.nextMessage() == [topic + [1]])
    }

    @Test func onlyASubscriberSubscribesAndNotAtAnyLength() async {
        await #expect(processExitsWith: .failure) {
            let socket = try Socket(Context(), .dealer)
            try socket.subscribe(prefix: [1])
        }
        await #expect(processExitsWith: .failure) {
            let socket = try Socket(Context(), .sub)
            let tooLong = ZeroMQLimits.subscriptionBytesMax + 1
            try socket.subscribe(prefix: [UInt8](repeating: 0, count: tooLong))
        }
    }
}
