import CacheAccess
import CacheModel
import Testing

@testable import GatewayCore

/// What readers hear, told as transcripts.
@Suite struct PushHubTests {
    @Test func theLimitsFitEachOther() { PushLimits.check() }

    @Test func aSubscriberAtTheHeadReceivesLaterRecords() throws {
        var bench = HubBench(at: 4)
        let reader = try bench.subscribe()
        bench.receive(record(5))
        bench.receive(record(6))
        #expect(bench.heard(reader) == ["hello 1:4", "record 1:5", "record 1:6"])
    }

    @Test func aRecordThatComesTwiceIsToldOnce() throws {
        var bench = HubBench(at: 4)
        let reader = try bench.subscribe()
        for number in [5, 5, 4, 6] as [UInt64] { bench.receive(record(number)) }
        #expect(bench.heard(reader) == ["hello 1:4", "record 1:5", "record 1:6"])
    }

    @Test func oneSendDeliversARecordToMatchingSubscribersOnly() throws {
        var bench = HubBench(at: 0)
        let first = try bench.subscribe([key("a")])
        let second = try bench.subscribe([key("a"), prefix("a")])
        let other = try bench.subscribe([key("b")])
        bench.receive(record(1, [Scope(try key("a"))]))
        #expect(bench.records(first) == [at(1)])
        #expect(bench.records(second) == [at(1)])
        #expect(bench.records(other) == [])
        #expect(bench.sends.last?.count == 2)
    }

    @Test func ofARecordWithSeveralScopesEachIsToldItsOwn() throws {
        var bench = HubBench(at: 0)
        let onlyA = try bench.subscribe([key("a")])
        let onlyB = try bench.subscribe([key("b")])
        let both = try bench.subscribe([key("b"), key("a")])
        let all = try bench.subscribe()
        let scopes = try ["a", "b", "c"].map { Scope(try key($0)) }
        bench.receive(record(1, scopes))
        #expect(bench.messages(onlyA).last == .record(record(1), scopes: [scopes[0]]))
        #expect(bench.messages(onlyB).last == .record(record(1), scopes: [scopes[1]]))
        #expect(bench.messages(both).last == .record(record(1), scopes: scopes.prefix(2)))
        #expect(bench.messages(all).last == .record(record(1), scopes: scopes))
    }

    @Test func aReturningSubscriberReceivesMissedThenNewRecords() throws {
        var bench = HubBench(at: 6)
        let reader = try bench.subscribe(after: 4)
        #expect(bench.heard(reader) == ["hello 1:4"])
        bench.settle()
        bench.receive(record(7))
        #expect(
            bench.heard(reader) == ["hello 1:4", "record 1:5", "record 1:6", "record 1:7"])
    }

    @Test func aRecordThatComesDuringAReplayIsToldAfterIt() throws {
        var bench = HubBench(at: 6)
        let reader = try bench.subscribe(after: 4)
        bench.receive(record(7))
        bench.settle()
        #expect(
            bench.heard(reader) == ["hello 1:4", "record 1:5", "record 1:6", "record 1:7"])
    }

    @Test func aReplayTellsOnlyWhatWasAskedFor() throws {
        var bench = HubBench(at: 0)
        for number in 1...4 as ClosedRange<UInt64> {
            bench.receive(record(number, [Scope(try key(number % 2 == 0 ? "a" : "b"))]))
        }
        let reader = try bench.subscribe([key("a")], after: 0)
        bench.settle()
        #expect(bench.heard(reader) == ["hello 1:0", "record 1:2", "record 1:4"])
    }

    @Test func aSubscriberBehindTheRingGetsGoneThenNewRecords() throws {
        var bench = HubBench(at: 9, ringRecords: 3)
        let within = try bench.subscribe(after: 6)
        let before = try bench.subscribe(after: 5)
        bench.settle()
        bench.receive(record(10))
        #expect(
            bench.heard(within)
                == ["hello 1:6", "record 1:7", "record 1:8", "record 1:9", "record 1:10"])
        #expect(bench.heard(before) == ["hello 1:5", "gone 1:9", "record 1:10"])
        #expect(bench.hub.snapshot.gone == 1)
    }

    @Test func aRecordBeforeTheFirstHeartbeatClaimsNoHistory() throws {
        var bench = HubBench()
        bench.receive(record(7))
        bench.beat(7)
        let back = try bench.subscribe(after: 3)
        bench.settle()
        bench.receive(record(8))
        #expect(bench.heard(back) == ["hello 1:3", "gone 1:7", "record 1:8"])
    }

    @Test func aReplayWaitsUntilTheLogPositionIsKnown() throws {
        var bench = HubBench()
        bench.hub.follows(after: at(2))
        let back = try bench.subscribe(after: 3)
        let new = try bench.subscribe()
        bench.receive(record(3))
        bench.beat(5)
        bench.receive(record(4))
        #expect(bench.heard(back) == ["hello 1:3"])
        bench.receive(record(5))
        bench.settle()
        bench.receive(record(6))
        #expect(
            bench.heard(back) == ["hello 1:3", "record 1:4", "record 1:5", "record 1:6"])
        #expect(bench.heard(new) == ["hello -", "heartbeat 1:5", "record 1:6"])
    }

    @Test func aHubThatFollowsFromTheHeadKnowsNothingOlder() throws {
        var bench = HubBench()
        let reader = try bench.subscribe(after: 3)
        bench.beat(5)
        #expect(bench.heard(reader) == ["hello 1:3", "gone 1:5"])
    }

    @Test func aHistoryThatWasGoneAtTheStartIsNotWaitedFor() throws {
        var bench = HubBench()
        bench.hub.follows(after: at(2))
        let reader = try bench.subscribe(after: 3)
        bench.beat(8)
        bench.lose(continuingAfter: at(7))
        bench.receive(record(8))
        #expect(bench.heard(reader) == ["hello 1:3", "gone 1:7", "record 1:8"])
    }

    @Test func anotherLogIsToldAsAGapToEverybody() throws {
        var bench = HubBench(at: 6)
        bench.takesAtOnce = false
        let live = try bench.subscribe()
        let replaying = try bench.subscribe(after: 2)
        bench.lose(continuingAfter: at(0, epoch: 2))
        bench.settle()
        bench.receive(record(1, epoch: 2))
        #expect(bench.heard(live) == ["hello 1:6", "gone 2:0", "record 2:1"])
        #expect(bench.heard(replaying) == ["hello 1:2", "gone 2:0", "record 2:1"])
        let late = try bench.subscribe(after: 6)
        #expect(bench.heard(late) == ["hello 1:6", "gone 2:1"])
    }

    @Test func aGapOfNothingIsNotTold() throws {
        var bench = HubBench(at: 6)
        let reader = try bench.subscribe()
        bench.lose(continuingAfter: at(6))
        bench.receive(record(7))
        #expect(bench.heard(reader) == ["hello 1:6", "record 1:7"])
    }

    @Test func aSubscriberAheadOfTheGatewayGetsNoDuplicates() throws {
        var bench = HubBench(at: 4)
        let reader = try bench.subscribe(after: 6)
        bench.beat(6)
        for number in 5...8 as ClosedRange<UInt64> { bench.receive(record(number)) }
        #expect(bench.heard(reader) == ["hello 1:6", "record 1:7", "record 1:8"])
    }

    @Test func aPositionPastTheHeadIsGoneAfterTwoHeartbeats() throws {
        var bench = HubBench(at: 4)
        let reader = try bench.subscribe(after: 6)
        bench.beat(4)
        #expect(bench.heard(reader) == ["hello 1:6"])
        bench.beat(4)
        bench.receive(record(5))
        #expect(bench.heard(reader) == ["hello 1:6", "gone 1:4", "record 1:5"])
    }

    @Test func aSubscriberAheadIsForgottenWhenItLeaves() throws {
        var bench = HubBench(at: 4)
        let reader = try bench.subscribe(after: 6)
        bench.leave(reader)
        bench.beat(4)
        bench.beat(4)
        #expect(bench.hub.subscriberCount == 0)
        #expect(bench.hub.snapshot.gone == 0)
    }

    @Test func aFreedSlotIsReusedWithoutSendingToTheFormerSubscriber() throws {
        var bench = HubBench(at: 0)
        let first = try bench.subscribe([key("a")])
        bench.leave(first)
        let second = try bench.subscribe([key("b")])
        #expect(second.slot == first.slot && second != first)
        // Of the one who left: passed over.
        bench.hub.taken(first, bytes: 10, now: bench.now)
        bench.hub.unsubscribe(first)
        bench.receive(record(1, [Scope(try key("a"))]))
        bench.receive(record(2, [Scope(try key("b"))]))
        #expect(bench.records(second) == [at(2)])
    }

    @Test func thereIsRoomForSoManyOnly() throws {
        var bench = HubBench(subscribersMax: 2)
        let first = try bench.subscribe()
        _ = try bench.subscribe()
        let refusal = #expect(throws: PushRefusal.self) { try bench.subscribe() }
        #expect(refusal?.code == .full)
        bench.leave(first)
        _ = try bench.subscribe()
    }

    @Test func aGatewayThatStopsSendsEverybodyAway() throws {
        var bench = HubBench(at: 3)
        let live = try bench.subscribe()
        bench.receive(record(4))
        let back = try bench.subscribe(after: 1)
        bench.stop()
        #expect(bench.heard(live) == ["hello 1:3", "record 1:4", "end stopping 1:4"])
        #expect(bench.heard(back) == ["hello 1:1", "end stopping 1:1"])
        let refusal = #expect(throws: PushRefusal.self) { try bench.subscribe() }
        #expect(refusal?.code == .stopping)
    }

    /// Its numbers may be those of another log, with other records.
    @Test func aPositionOfAnotherClusterIsReportedGone() throws {
        var bench = HubBench(at: 9)
        bench.learn(ClusterID(0xA))
        for cluster in [ClusterID(0xB), ClusterID(0xA), .none] {
            let subscription = try PushSubscription(
                [.everything], after: at(4), of: cluster, for: nil)
            let id = try bench.subscribe(subscription)
            let isGone = bench.readers[id]?.messages.contains { $0.kind == .gone }
            #expect(isGone == (cluster == ClusterID(0xB)), "\(cluster)")
        }
    }

    /// What it is told goes along with the hub's cluster: it would come back with the old number
    /// in the new name.
    @Test func helloOmitsAPositionOfAnotherClusterBeforeTheLogIsKnown() throws {
        for known in [ClusterID(0xA), .none] {
            var bench = HubBench()
            bench.hub.follows(after: at(9))
            bench.learn(known)
            let id = try bench.subscribe(
                PushSubscription([.everything], after: at(4), of: ClusterID(0xB), for: nil))
            bench.pass(PushLimits.heartbeatSpacing)
            #expect(bench.heard(id) == ["hello -", "heartbeat -"])
            bench.learn(ClusterID(0xA))
            bench.beat(9)
            #expect(bench.heard(id).last == "gone 1:9")
        }
    }

    @Test func helloOmitsAPositionOfAnotherClusterOnceTheLogIsKnown() throws {
        var bench = HubBench(at: 9)
        bench.learn(ClusterID(0xA))
        let id = try bench.subscribe(
            PushSubscription([.everything], after: at(4), of: ClusterID(0xB), for: nil))
        #expect(bench.heard(id) == ["hello -", "gone 1:9"])
    }

    @Test func heartbeatCarriesAPositionOnceItsClusterIsConfirmed() throws {
        var bench = HubBench()
        bench.hub.follows(after: at(2))
        let back = try bench.subscribe(
            PushSubscription([.everything], after: at(4), of: ClusterID(0xA), for: nil))
        bench.learn(ClusterID(0xA))
        bench.pass(PushLimits.heartbeatSpacing)
        #expect(bench.heard(back) == ["hello -", "heartbeat 1:4"])
    }

    @Test func anotherClusterAtTheSamePlaceIsGone() throws {
        var bench = HubBench(at: 8)
        bench.learn(ClusterID(0xA))
        let live = try bench.subscribe()
        bench.lose(continuingAfter: at(8))
        bench.learn(ClusterID(0xA))
        #expect(bench.heard(live) == ["hello 1:8"])
        bench.lose(continuingAfter: at(8))
        bench.learn(ClusterID(0xB))
        #expect(bench.heard(live) == ["hello 1:8", "gone 1:8"])
        // The records of the other one are not replayed in its name.
        let back = try bench.subscribe(
            PushSubscription([.everything], after: at(6), of: ClusterID(0xB), for: nil))
        bench.settle()
        #expect(bench.heard(back) == ["hello 1:6", "gone 1:8"])
    }

    @Test func anotherClusterAfterALossIsToldOnce() throws {
        var bench = HubBench(at: 8)
        bench.learn(ClusterID(0xA))
        let live = try bench.subscribe()
        bench.lose(continuingAfter: at(20))
        bench.receive(record(21))
        bench.learn(ClusterID(0xB))
        #expect(bench.heard(live) == ["hello 1:8", "gone 1:20", "record 1:21"])
        #expect(bench.hub.cluster == ClusterID(0xB))
    }

    @Test func earlySubscribersAreCheckedOnceTheClusterIsKnown() throws {
        for isKnownLog in [true, false] {
            var bench = isKnownLog ? HubBench(at: 9) : HubBench()
            let ids = try [ClusterID(0xB), ClusterID(0xA), .none].map { cluster in
                try bench.subscribe(
                    PushSubscription([.everything], after: at(4), of: cluster, for: nil))
            }
            if isKnownLog { bench.settle() } else { bench.hub.follows(after: at(4)) }
            bench.learn(ClusterID(0xA))
            bench.learn(ClusterID(0xA))
            bench.beat(isKnownLog ? 9 : 4)
            let gone = ids.map { id in bench.messages(id).count { $0.kind == .gone } }
            #expect(gone == [1, 0, 0], "\(isKnownLog)")
        }
    }
}
