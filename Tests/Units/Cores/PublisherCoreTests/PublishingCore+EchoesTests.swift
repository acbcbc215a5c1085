import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// What is invalidated where the database has replicas is invalidated once more.
@Suite struct PublishingCoreEchoesTests {
    private static let lagging = Namespace("lagging") ?? .default

    private func cluster(fallback: Duration = .zero) throws -> Cluster {
        var cluster = Cluster(nodes: 1) { plan in
            plan.replicaLags = [Self.lagging: .seconds(2)]
            plan.replicaLagDefault = fallback
        }
        try cluster.hello(1)
        cluster.tick()
        cluster.tick(at: 10)
        cluster.forget()
        return cluster
    }

    private func key(_ text: String, in namespace: Namespace = lagging) throws -> Scope {
        Scope(.key(try #require(CacheKey(text)), in: namespace))
    }

    /// The scopes that each record of a turn has.
    private func said(
        _ cluster: inout Cluster, at second: Double
    ) throws -> [[Scope.Target]] {
        cluster.forget()
        cluster.tick(at: second)
        return try cluster.recordsSent.map { $0.record.scopes.map(\.target) }
    }

    @Test func aScopeIsSaidAgainAfterTheLagAndThenNoMore() throws {
        var cluster = try cluster()
        let scope = try key("a")
        cluster.invalidate(.none, scopes: [scope])
        #expect(try said(&cluster, at: 10).count == 1)
        #expect(cluster.core.nextDeadline <= .seconds(Cluster.start + 12))
        #expect(try said(&cluster, at: 11.9).isEmpty)
        #expect(try said(&cluster, at: 12) == [[scope.target]])
        #expect(cluster.core.statistics.echoes == 1)
        #expect(try said(&cluster, at: 20).isEmpty, "an echo has none")
    }

    @Test func whatIsSaidAgainInBetweenPutsTheEchoOff() throws {
        var cluster = try cluster()
        let scope = try key("a")
        cluster.invalidate(.none, scopes: [scope])
        _ = try said(&cluster, at: 10)
        cluster.invalidate(.none, scopes: [scope])
        _ = try said(&cluster, at: 11)
        #expect(try said(&cluster, at: 12.5).isEmpty)
        #expect(try said(&cluster, at: 13) == [[scope.target]])
    }

    @Test func otherNamespacesHaveNoEcho() throws {
        var cluster = try cluster()
        cluster.invalidate(.none, scopes: [try key("a", in: .default)])
        _ = try said(&cluster, at: 10)
        #expect(try said(&cluster, at: 80).isEmpty)
    }

    @Test func everythingIsSaidAgainWhereReplicasLag() throws {
        var cluster = try cluster()
        cluster.invalidate(.none)
        _ = try said(&cluster, at: 10)
        #expect(try said(&cluster, at: 12) == [[.namespace(Self.lagging)]])

        var everywhere = try self.cluster(fallback: .seconds(1))
        everywhere.invalidate(.none)
        _ = try said(&everywhere, at: 10)
        #expect(try said(&everywhere, at: 11).isEmpty, "the longest lag decides")
        #expect(try said(&everywhere, at: 12) == [[.everything]])
    }

    /// Its value comes from its writer; the echo would only take it away.
    @Test func aStoreThatTheLogOrdersHasNoEcho() throws {
        var cluster = try cluster()
        var request = InvalidateRequest(
            scopes: [try key("a")], wait: .none, timeoutMilliseconds: 0, operation: .none)
        request.ordersStore = true
        cluster.send(from: 1) { request.encode(requestID: 3, into: &$0) }
        #expect(try said(&cluster, at: 10).count == 1)
        #expect(try said(&cluster, at: 80).isEmpty)
    }

    @Test func aRepetitionOfAnOperationHasNoSecondEcho() throws {
        var cluster = try cluster()
        let scope = try key("a")
        cluster.invalidate(.none, operation: 7, scopes: [scope])
        _ = try said(&cluster, at: 10)
        cluster.invalidate(.none, operation: 7, scopes: [scope])
        _ = try said(&cluster, at: 11)
        #expect(try said(&cluster, at: 12) == [[scope.target]])
        #expect(try said(&cluster, at: 14).isEmpty)
    }

    @Test func aRefusedAppendHasNoEchoAndARefusedEchoIsRetried() throws {
        var cluster = try cluster()
        cluster.core.log.isSlow = true
        let scope = try key("a")
        cluster.invalidate(.none, scopes: [scope])
        cluster.tick()
        try cluster.finishAppend(refusedBy: .storage("full"))
        #expect(try said(&cluster, at: 13).isEmpty)

        cluster.invalidate(.none, scopes: [scope])
        cluster.tick()
        try cluster.finishAppend()
        cluster.tick(at: 15)
        try cluster.finishAppend(refusedBy: .storage("full"))
        cluster.forget()
        cluster.tick(at: 16)
        try cluster.finishAppend()
        #expect(try cluster.recordsSent.map { $0.record.scopes.map(\.target) } == [[scope.target]])
    }

    @Test func strengthsAreSaidAgainEachForItself() throws {
        var cluster = try cluster()
        for strength in InvalidationRecord.Strength.allCases {
            let request = InvalidateRequest(
                scopes: [try key("a")], strength: strength, wait: .none, timeoutMilliseconds: 0,
                operation: .none)
            cluster.send(from: 90) { request.encode(requestID: 3, into: &$0) }
        }
        _ = try said(&cluster, at: 10)
        cluster.forget()
        cluster.tick(at: 12)
        #expect(Set(try cluster.recordsSent.map(\.record.strength)) == [.hard, .soft])
    }

    @Test func whereThereAreTooManyTheirNamespaceIsSaidInstead() throws {
        var book = RepetitionSchedule()
        let now = Instant.seconds(1)
        for number in 0...PublisherLimits.echoesMax {
            let echo = RepetitionSchedule.Echo(scope: try key("k\(number)"), strength: .hard)
            book.add(echo, after: .seconds(1), now: now)
        }
        #expect(book.count == PublisherLimits.echoesMax + 1)
        let due = book.takeDue(at: .seconds(2), countMax: .max)
        #expect(due.count { $0.scope.target == .namespace(Self.lagging) } == 1)
        #expect(due.count == PublisherLimits.echoesMax + 1)
        #expect(book.count == 0 && book.nextDue == nil)
    }

    @Test func theLongestScopesOfATurnCanBeEncoded() throws {
        var cluster = try cluster()
        let long = String(repeating: "k", count: CacheKey.bytesMax - 4)
        for number in 0..<40 {
            cluster.invalidate(.none, scopes: [try key("\(long)\(1_000 + number)")])
        }
        _ = try said(&cluster, at: 10)
        #expect(try said(&cluster, at: 12).joined().count == 40)
    }
}
