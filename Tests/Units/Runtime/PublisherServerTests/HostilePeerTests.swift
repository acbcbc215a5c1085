import ByteCoding
import CacheModel
import CacheWire
import Logging
import PublisherCore
import PublisherServer
import Testing
import TestSupport
import ZeroMQ

/// Garbage on both ports: it is counted, and everybody is served on.
@Suite(.serialized) struct HostilePeerTests {
    private let context: Context

    init() throws {
        context = try Context()
    }

    private func serve(_ body: (PublisherEndpoints) throws -> Void) throws {
        let options = PublisherOptions(
            control: try Endpoint("tcp://127.0.0.1:0"), plan: PublisherPlan(nodes: []))
        let service = PublisherService(
            options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let endpoints = try service.start()
        defer { service.stop() }
        try body(endpoints)
        // It still serves.
        let asker = try Asker(context, endpoints)
        try asker.invalidate(.all)
        #expect(try asker.receipt().isComplete)
    }

    private func noise(_ dice: inout SeededGenerator, upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0..<count, using: &dice)).map { _ in
            UInt8(truncatingIfNeeded: dice.next() >> 40)
        }
    }

    @Test func randomBytesOnBothPortsDoNotStopThePublisher() throws {
        try serve { endpoints in
            var dice = SeededGenerator(seed: 1)
            let greeting: [UInt8] = [0xFF] + Array(repeating: 0, count: 8) + [0x7F, 3, 1]
            for round in 0..<60 {
                let port = round % 2 == 0 ? endpoints.control : endpoints.live
                let connection = try TCPSocket.connected(to: port.port ?? 0)
                defer { connection.close() }
                let start = round % 3 == 0 ? greeting : []
                connection.say(start + noise(&dice, upTo: 2_000))
            }
        }
    }

    @Test func randomMessagesAreRefusedOneByOne() throws {
        try serve { endpoints in
            var dice = SeededGenerator(seed: 2)
            let asker = try Asker(context, endpoints)
            for _ in 0..<500 {
                var frame = noise(&dice, upTo: 300)
                if dice.next() % 2 == 0 { frame = [0x4D, 0x4C, 1] + frame }
                try asker.send(frame)
            }
            let replies = try asker.awaitReplies(500)
            #expect(replies.allSatisfy { $0[3] == MessageType.error.rawValue })
        }
    }

    @Test func severalFramesArePassedOver() throws {
        try serve { endpoints in
            let socket = try Socket(context, .dealer)
            try socket.connect(endpoints.control)
            try drive("a connection", until: { try socket.isWritable }, {})
            for count in 2...40 {
                for index in 1...count {
                    var part = Frame(copying: [UInt8(index)])
                    #expect(try socket.send(&part, more: index < count) == .sent)
                }
            }
        }
    }

    @Test func subscribersThatSayWildThingsAreIgnored() throws {
        try serve { endpoints in
            // An XPUB takes whatever a connecting XPUB or PUB sends as a subscription message.
            let subscriber = try Socket(context, .sub)
            for length in 0..<200 {
                try subscriber.subscribe(prefix: Array(repeating: 7, count: length))
            }
            try subscriber.connect(endpoints.live)
            var frame = Frame()
            try drive("a heartbeat", until: { try subscriber.receive(into: &frame) }, {})
        }
    }
}
