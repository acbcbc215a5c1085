import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

@Suite struct PublisherMindLiveTests {
    @Test func itIsNeverSilentForLongerThanTheHeartbeat() throws {
        var cluster = try Cluster.live(nodes: 1)
        var beats = 0
        for _ in 0..<10 {
            let deadline = cluster.mind.nextDeadline
            cluster.tick(at: Double(deadline.nanoseconds) / 1e9 - Cluster.start)
            beats += try cluster.heartbeats.count
            cluster.forget()
        }
        // Some of the deadlines were a grant's.
        #expect((8...10).contains(beats))
        #expect((3.9...5.1).contains(cluster.second - 10))
    }

    @Test func aSubscriberIsToldTheHeadAtOnceButAFloodOfThemIsNot() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.tick(at: 10.001)
        cluster.forget()
        cluster.second = 10.1
        cluster.mind.subscribed(now: cluster.now)
        #expect(cluster.mind.nextDeadline <= cluster.now)
        cluster.tick()
        #expect(cluster.order == [.heartbeat])
        for _ in 0..<1_000 {
            cluster.second += 0.000_1
            cluster.mind.subscribed(now: cluster.now)
            cluster.tick()
        }
        #expect((4...7).contains(cluster.order.count))
    }

    @Test func onlyWhatNobodyWaitsForIsLazy() throws {
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
        cluster.invalidate(.none)
        cluster.tick()
        #expect(try cluster.heartbeats.last?.head == cluster.mind.log.head)
    }
}

@Suite struct PublisherLimitsTests {
    @Test func theBoundsAgreeWithEachOther() {
        PublisherLimits.check()
    }
}
