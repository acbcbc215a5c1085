import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

@Suite struct PublishingCoreLiveTests {
    @Test func itIsNeverSilentForLongerThanTheHeartbeat() throws {
        var cluster = try Cluster.live(nodes: 1)
        var beats = 0
        for _ in 0..<10 {
            let deadline = cluster.core.nextDeadline
            cluster.tick(at: Double(deadline.nanoseconds) / 1e9 - Cluster.start)
            beats += try cluster.heartbeats.count
            cluster.forget()
        }
        // Some of the deadlines were a grant's.
        #expect((8...10).contains(beats))
        #expect((3.9...5.1).contains(cluster.second - 10))
    }

    @Test func newSubscribersGetAnImmediateHeartbeatWithinARateLimit() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.tick(at: 10.001)
        cluster.forget()
        cluster.second = 10.1
        cluster.core.subscribed(now: cluster.now)
        #expect(cluster.core.nextDeadline <= cluster.now)
        cluster.tick()
        #expect(cluster.order == [.heartbeat])
        for _ in 0..<1_000 {
            cluster.second += 0.000_1
            cluster.core.subscribed(now: cluster.now)
            cluster.tick()
        }
        #expect((4...7).contains(cluster.order.count))
    }

    @Test func onlyUnawaitedRecordsAreMarkedLazy() throws {
        for (waits, isLazy) in [
            ([WaitMode.none, .none], true), ([.none, .all], false), ([.quorum], false),
        ] {
            var cluster = try Cluster.live(nodes: 2)
            cluster.forget()
            for wait in waits { cluster.invalidate(wait) }
            cluster.tick()
            let runs = try cluster.broadcasts.filter { $0[3] == MessageType.records.rawValue }
                .map { try Cluster.decode($0) { try RecordRun(decoding: $0) } }
            #expect(runs.map(\.isLazy) == [isLazy] && runs[0].records.count == waits.count)
        }
    }

    @Test func aBurstEndsWithAHeartbeat() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.tick(at: 10.001)
        cluster.forget()
        for moment in [10.1, 10.101, 10.102] {
            cluster.second = moment
            cluster.invalidate(.none)
            cluster.tick()
        }
        // The first is followed at once, because nothing was said just before it.
        #expect(try cluster.heartbeats.map(\.head.position) == [.at(1)])
        let deadline = cluster.core.nextDeadline
        #expect(deadline <= cluster.now.advanced(by: PublisherLimits.heartbeatSpacing))
        cluster.tick(at: Double(deadline.nanoseconds) / 1e9 - Cluster.start)
        #expect(try cluster.heartbeats.last?.head == cluster.core.log.head)
    }

    @Test func notEveryRecordOfASteadyStreamIsFollowedByAHeartbeat() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.forget()
        for _ in 0..<1_000 {
            cluster.second += 0.001
            cluster.invalidate(.none)
            cluster.tick()
        }
        #expect(cluster.order.filter { $0 == .records }.count == 1_000)
        #expect((45...51).contains(try cluster.heartbeats.count))
    }
}

@Suite struct PublisherLimitsTests {
    @Test func theBoundsAgreeWithEachOther() {
        PublisherLimits.check()
    }
}
