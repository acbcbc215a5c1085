import CacheClientCore
import CacheModel
import CacheWire
@testable import MartletClient
import TestSupport
import Testing
import Threading

/// Streams of invalidations over a change of the publisher that leads.
@Suite struct LeaderStreamTests {
    private func withClient(
        _ body: (CacheClient, ScriptedCluster, _ log: [SealedRecord]) async throws -> Void
    ) async throws {
        let cluster = try ScriptedCluster(publishers: 2)
        let records = try ScriptedLog.records(6)
        for publisher in cluster.publishers {
            publisher.log.withLock { $0 = Array(records[..<3]) }
            publisher.greeting.withLock { $0 = ScriptedLog.heartbeat(records[0].mark) }
        }
        try await cluster.withClient {
            $0.timeout = .seconds(30)
            $0.endpoints = cluster.publishers.map(\.endpoint)
        } _: { client in
            _ = try await client.cluster.topology()
            try await body(client, cluster, records)
        }
    }

    /// The next record, or a loss, beside heartbeats.
    private func next(
        _ events: inout InvalidationStream.Iterator
    ) async -> InvalidationStream.Event? {
        while let event = await events.next(isolation: nil) {
            if case .heartbeat = event { continue }
            return event
        }
        return nil
    }

    /// The second publisher leads, and has all records.
    private func change(_ cluster: ScriptedCluster, _ records: [SealedRecord]) {
        let leader = cluster.publishers[1]
        leader.log.withLock { $0 = records }
        leader.greeting.withLock { $0 = ScriptedLog.heartbeat(records[5].mark) }
        cluster.lead(1)
    }

    @Test func aFarewellLeadsToTheNextPublisherWithoutAGapOrARepetition() async throws {
        try await withClient { client, cluster, records in
            let stream = try await client.invalidations()
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[0].position))
            cluster.publishers[0].broadcast(ScriptedLog.live([records[1], records[2]]))
            #expect(await next(&events) == .record(records[1].record))
            change(cluster, records)
            let start = ContinuousClock.now
            cluster.publishers[0].broadcast(ScriptedLog.message(.farewell))
            for record in records[2...] { #expect(await next(&events) == .record(record.record)) }
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }

    @Test func aSilentPublisherIsLeft() async throws {
        try await withClient { client, cluster, records in
            let stream = try await client.invalidations()
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[0].position))
            let former = cluster.publishers[0]
            former.script.withLock { $0.isMute = true }
            defer { former.script.withLock { $0.isMute = false } }
            change(cluster, records)
            let start = ContinuousClock.now
            for record in records[1...] { #expect(await next(&events) == .record(record.record)) }
            let took = ContinuousClock.now - start
            #expect(took > .seconds(1) && took < .seconds(20), "\(took)")
        }
    }

    @Test func notLeaderToAReplayRequestLeadsToTheNextPublisher() async throws {
        try await withClient { client, cluster, records in
            let stream = try await client.invalidations()
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[0].position))
            change(cluster, records)
            // A gap, and a publisher that does not lead any more.
            cluster.publishers[0].broadcast(ScriptedLog.live([records[2]]))
            for record in records[1...] { #expect(await next(&events) == .record(record.record)) }
        }
    }

    /// One that led before, and does not know of its successor.
    @Test func aPublisherThatIsBehindCausesNoLoss() async throws {
        try await withClient { client, cluster, records in
            let stream = try await client.invalidations()
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[0].position))
            let publisher = cluster.publishers[0]
            publisher.broadcast(ScriptedLog.live([records[1], records[2]]))
            #expect(await next(&events) == .record(records[1].record))
            #expect(await next(&events) == .record(records[2].record))
            let before = publisher.script.withLock { $0.count(.topology) }
            publisher.broadcast(ScriptedLog.heartbeat(records[0].mark))
            try await eventually("the leader is looked for") {
                publisher.script.withLock { $0.count(.topology) } > before
            }
            #expect(publisher.script.withLock { $0.count(.resume) } == 0)
            publisher.broadcast(ScriptedLog.live([records[3]]))
            #expect(await next(&events) == .record(records[3].record))
        }
    }

    @Test func aStreamOfAPartGoesOnAtTheNextPublisher() async throws {
        try await withClient { client, cluster, records in
            cluster.state.withLock { $0.head = 3 }
            let topology = try await client.loop.topology(deadline: client.loop.deadline(nil))
            let start = records[2].mark
            let feed = try EventFeed(
                client.loop, topology, from: .part(start, isVoid: false))
            let stream = InvalidationStream(feed: feed, topology: topology)
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[2].position))
            cluster.lead(1)
            try await eventually("the next one is asked") {
                _ = await events.next()
                return cluster.publishers[1].script.withLock { $0.count(.follow) } > 0
            }
            let asked = cluster.publishers[1].script.withLock { script in
                script.seen.first { $0.type == .follow }?.bytes
            }
            let after = try (asked ?? []).withUnsafeBytes {
                try FollowRequest(decoding: $0).after
            }
            #expect(after.position == records[2].position)
        }
    }

    @Test func aFarewellOfTheOnlyPublisherChangesNothing() async throws {
        let cluster = try ScriptedCluster()
        let records = try ScriptedLog.records(2)
        cluster.publisher.greeting.withLock { $0 = ScriptedLog.heartbeat(records[0].mark) }
        try await cluster.withClient { client in
            let stream = try await client.invalidations()
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[0].position))
            cluster.publisher.broadcast(ScriptedLog.message(.farewell))
            cluster.publisher.broadcast(ScriptedLog.live([records[1]]))
            #expect(await next(&events) == .record(records[1].record))
            // What the follower has told the loop is done before this.
            #expect(try await client.invalidate([Scope(.everything)]).isComplete)
            let seen = cluster.publisher.script.withLock { $0.seen.map(\.type) }
            #expect(seen == [.topology, .invalidate])
        }
    }

    @Test func aStreamOfTheOnlyPublisherSendsNoQuestion() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let stream = try await client.invalidations()
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(3) { await breath() }
            #expect(!stream.isPartial)
            let seen = cluster.publisher.script.withLock { $0.seen.map(\.type) }
            #expect(seen == [.topology])
        }
    }
}
