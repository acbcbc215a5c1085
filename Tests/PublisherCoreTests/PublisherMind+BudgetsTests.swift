import ByteCoding
import CacheAccess
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// How much of the publisher one key may have.
@Suite struct PublisherMindBudgetsTests {
    private static let list = """
        purger  \(key(1))  invalidate  *  ops=10/s
        other   \(key(2))  invalidate
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    private static func cluster() throws -> Cluster {
        var cluster = try Cluster.live(nodes: 2)
        let list = try AccessList(parsing: list)
        cluster.mind.setAccess(AccessTable([nil] + list.entries.map(Optional.some)))
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

    @Test func aFloodOfInvalidationsIsHeldToItsRateAndNothingOfTheRestIsDone() throws {
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
        #expect(cluster.mind.log.head.position == .at(1))
        cluster.send(try Self.invalidation(of: 1), from: 91, of: 2)
        cluster.tick()
        #expect(try cluster.receipt(to: 91).position == .at(2))
        #expect(cluster.mind.statistics.overBudget == 1)
    }

    @Test func strangersAreLeftInSilenceWhenTheyDoNotStop() throws {
        var cluster = try Self.cluster()
        let flood = try Self.invalidation(of: 1)
        for _ in 0..<2_000 { cluster.send(flood, from: 92, of: 77) }
        #expect(cluster.hear(92).count == Budgets.refusalsPerSecond)
        #expect(cluster.mind.statistics.refusedSilently == 1_000)
        #expect(cluster.mind.log.head.position == .at(0))
    }
}
