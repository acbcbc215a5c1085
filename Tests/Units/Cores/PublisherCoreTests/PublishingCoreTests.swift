import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing
import TestSupport

@Suite struct PublishingCoreTests {
    private static let unserved: [MessageType] = [
        .get, .set, .delete, .touch, .chunk, .scan, .explain, .drain, .count, .records,
        .heartbeat, .results, .receipt, .welcome,
    ]

    @Test(arguments: unserved)
    func whatItDoesNotServeItRefusesWithASentence(type: MessageType) throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.send(from: 90) { writer in
            let message = MessageWriter(type, requestID: 5, into: &writer)
            message.finish(&writer, count: type.hasNoCount ? 0 : 1)
        }
        #expect(cluster.replies.map { $0.frame[8] } == [5])
        let error = try cluster.error(to: 90)
        #expect(error.knownCode == .unsupported && error.message.count > 30)
    }

    @Test func anErrorIsNeverAnsweredWithAnError() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.send(from: 90) { ErrorReply(.busy, "no").encode(requestID: 1, into: &$0) }
        #expect(cluster.order.isEmpty)
        #expect(cluster.core.statistics.refused == 1)
    }

    @Test func aCountWhereThereIsNoneIsRefused() throws {
        var cluster = try Cluster.live(nodes: 1)
        for var message in try Self.messages() where message[3] != MessageType.invalidate.rawValue {
            message[6] = 1
            cluster.send(message, from: 90)
            #expect(try cluster.error(to: 90).knownCode == .malformed)
        }
    }

    /// One valid message of every kind it serves.
    private static func messages() throws -> [[UInt8]] {
        let mark = LogMark.at(0, digest: 0xF0)
        let node = try #require(NodeID("n1"))
        let hello = Hello(
            incarnation: Incarnation(1), log: .none, applied: mark, node: node, endpoints: ["a"])
        let request = InvalidateRequest(
            scopes: [Scope(.everything), Scope(.namespace(.default))], wait: .all,
            timeoutMilliseconds: 500, operation: OperationID(high: 1, low: 2))
        let resume = Resume(incarnation: Incarnation(1), log: .none, after: mark, limit: 10)
        let ping = Ping(incarnation: Incarnation(1), sentAt: 1, applied: mark, state: .live)
        return [
            Cluster.bytes { hello.encode(requestID: 1, into: &$0) },
            Cluster.bytes { request.encode(requestID: 1, into: &$0) },
            Cluster.bytes { resume.encode(requestID: 1, into: &$0) },
            Cluster.bytes { ping.encode(requestID: 1, into: &$0) },
            Cluster.bytes {
                FollowRequest(after: mark, limit: 10, holdMilliseconds: 500)
                    .encode(requestID: 1, into: &$0)
            },
            Cluster.bytes {
                Ack(incarnation: Incarnation(1), applied: mark).encode(requestID: 1, into: &$0)
            },
            Cluster.bytes { Bye(incarnation: Incarnation(1)).encode(requestID: 1, into: &$0) },
            Cluster.bytes { NodeOrder(.forget, node).encode(requestID: 1, into: &$0) },
        ]
    }

    @Test func everyCutMessageIsRefusedAndCounted() throws {
        var cluster = try Cluster.live(nodes: 1)
        for message in try Self.messages() {
            for length in 0..<message.count {
                var cut = Array(message[..<length])
                // With a header that agrees, so that the body itself is what is too short.
                if length >= 24 + Int(message[18]) {
                    let body = UInt32(length - 24 - Int(message[18]))
                    withUnsafeBytes(of: body.littleEndian) {
                        cut.replaceSubrange(20..<24, with: $0)
                    }
                }
                let before = cluster.core.statistics.refused
                cluster.send(cut, from: 90)
                #expect(cluster.core.statistics.refused == before + 1, "\(message[3]) \(length)")
            }
        }
        cluster.tick()
        #expect(cluster.core.log.head.position == .at(0))
    }

    /// Damaged, spliced and random messages in wild order, with turns in between: it answers and
    /// goes on, and never traps.
    @Test(arguments: UInt64(1)...20)
    func nothingThatIsSentCanStopIt(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let messages = try Self.messages()
        var cluster = Cluster(nodes: 1 + Int(seed % 3))
        for _ in 0..<3_000 {
            var frame = messages.randomElement(using: &dice) ?? []
            switch UInt8.random(in: 0..<10, using: &dice) {
            case 0: frame = (0..<Int.random(in: 0..<200, using: &dice)).map { _ in dice.byte() }
            case 1: frame[2] = dice.byte()
            case 2: frame[3] = dice.byte()
            case 3...6:
                for _ in 0...Int.random(in: 0..<4, using: &dice) {
                    frame[Int.random(in: 3..<frame.count, using: &dice)] = dice.byte()
                }
            default: break
            }
            cluster.send(frame, from: dice.byte() | 1)
            if dice.byte() < 40 {
                cluster.second += Double(dice.byte()) / 100
                cluster.tick()
                cluster.forget()
            }
        }
        #expect(cluster.core.statistics.messages == 3_000)
        #expect(cluster.core.statistics.refused > 100)
        // It still serves.
        cluster.forget()
        cluster.tick(at: cluster.second + 10)
        cluster.invalidate(.none, from: 200)
        cluster.tick()
        #expect(try cluster.receipt(to: 200).isComplete)
    }
}

extension SeededGenerator {
    fileprivate mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 40) }
}
