import ByteCoding
import CacheAccess
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// How much of the publisher one key may have.
@Suite struct PublishingCoreBudgetsTests {
    private static let list = """
        purger  \(key(1))  invalidate  *  ops=10/s
        other   \(key(2))  invalidate
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    private static func cluster() throws -> Cluster {
        var cluster = try Cluster.live(nodes: 2)
        cluster.core.setAccess(try AccessTable(listing: list))
        return cluster
    }

    private static func invalidation(of count: Int) throws -> [UInt8] {
        let scopes = try (0..<count).map {
            Scope(.key(try #require(CacheKey("k\($0)")), in: .default))
        }
        let request = InvalidateRequest(
            scopes: scopes, wait: .none, timeoutMilliseconds: 100, operation: .none)
        return Cluster.bytes { request.encode(requestID: 1, into: &$0) }
    }

    @Test func anInvalidationOverItsRateIsRefusedAndHasNoEffect() throws {
        var cluster = try Self.cluster()
        let flood = try Self.invalidation(of: 20)
        cluster.send(flood, from: 90, of: 1)
        cluster.tick()
        #expect(try cluster.receipt().position == .at(1))
        cluster.send(flood, from: 90, of: 1)
        cluster.tick()
        let refusal = try cluster.error(to: 90)
        #expect(refusal.knownCode == .busy && refusal.message.contains("nothing was done"))
        #expect(refusal.retryAfterMilliseconds == 1_001)
        #expect(cluster.core.log.head.position == .at(1))
        cluster.send(try Self.invalidation(of: 1), from: 91, of: 2)
        cluster.tick()
        #expect(try cluster.receipt(to: 91).position == .at(2))
        #expect(cluster.core.statistics.overBudget == 1)
    }

    private static func longScopes() throws -> [Scope] {
        let key = try #require(CacheKey(String(repeating: "k", count: 4_000)))
        return [Scope](repeating: Scope(.key(key, in: .default)), count: 15)
    }

    /// A short question, and an answer that is longer than its sender may have in a second.
    @Test(arguments: [MessageType.resume, .config, .follow])
    func whatIsAnsweredIsPaidForWhenItIsSent(type: MessageType) throws {
        var cluster = try Cluster.live(nodes: 1) {
            let text = String(repeating: "#", count: 60_000)
            $0.configuration = ConfigReport(revision: 1, text: text)
        }
        for _ in 0..<4 { cluster.invalidate(.none, scopes: try Self.longScopes()) }
        cluster.tick()
        cluster.core.setAccess(
            try AccessTable(listing: "reader  \(Self.key(1))  read  *  bytes=10KiB/s"))
        let question = Cluster.bytes { writer in
            switch type {
            case .resume:
                Resume(incarnation: .none, log: .none, after: .none, limit: 100)
                    .encode(requestID: 1, into: &writer)
            case .config:
                MessageWriter(.config, requestID: 1, into: &writer).finish(&writer, count: 0)
            default:
                FollowRequest(after: .none, limit: 100, holdMilliseconds: 0)
                    .encode(requestID: 1, into: &writer)
            }
        }
        cluster.forget()
        cluster.send(question, from: 90, of: 1)
        cluster.tick()
        let answer = try #require(cluster.hear(90).first)
        #expect(answer[3] != MessageType.error.rawValue && answer.count > 50_000)
        cluster.send(question, from: 91, of: 1)
        cluster.tick()
        let refusal = try cluster.error(to: 91)
        #expect(refusal.knownCode == .busy && cluster.core.statistics.overBudget == 1)
        let wait = (answer.count - 10_240) * 1_000 / 10_240
        #expect(abs(Int(refusal.retryAfterMilliseconds ?? 0) - wait) < 100)
    }

    @Test func whatWaitsForItsTurnIsPaidForToo() throws {
        var cluster = try Cluster.live(nodes: 1)
        for _ in 0..<40 { cluster.invalidate(.none, scopes: try Self.longScopes()) }
        cluster.tick()
        cluster.resume(observer: 80, requestID: 1)
        cluster.core.setAccess(
            try AccessTable(
                listing: """
                    greedy  \(Self.key(1))  read
                    reader  \(Self.key(2))  read  *  bytes=10KiB/s
                    """))
        let question = Cluster.bytes {
            Resume(incarnation: .none, log: .none, after: .none, limit: 100)
                .encode(requestID: 1, into: &$0)
        }
        cluster.forget()
        for peer in UInt8(1)...8 { cluster.send(question, from: 100 + peer, of: 1) }
        cluster.send(question, from: 90, of: 2)
        cluster.forget()
        cluster.tick()
        cluster.tick()
        #expect(try #require(cluster.hear(90).first)[3] == MessageType.replay.rawValue)
        cluster.send(question, from: 90, of: 2)
        #expect(try cluster.error(to: 90).knownCode == .busy)
    }

    @Test func strangersAreLeftInSilenceWhenTheyDoNotStop() throws {
        var cluster = try Self.cluster()
        let flood = try Self.invalidation(of: 1)
        for _ in 0..<2_000 { cluster.send(flood, from: 92, of: 77) }
        #expect(cluster.hear(92).count == Budgets.refusalsPerSecond)
        #expect(cluster.core.statistics.refusedSilently == 1_000)
        #expect(cluster.core.log.head.position == .at(0))
    }
}
