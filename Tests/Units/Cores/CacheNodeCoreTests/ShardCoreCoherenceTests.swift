import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Who may be served what, when: the rule of visibility as stories.
@Suite struct ShardCoreCoherenceTests {
    @Test(arguments: [Scope.key("a"), .tag("t"), .prefix("a"), Scope(.namespace(.default)), .all])
    func anInvalidatedEntryIsAMissAndOthersStay(scope: Scope) {
        var shard = ShardHarness()
        _ = shard.set("a", "one", .init(tags: [.named("t")]))
        _ = shard.set("b", "two")
        _ = shard.invalidate(scope)
        #expect(shard.get("a").status == .miss)
        let coversAll = scope == .all || scope == Scope(.namespace(.default))
        #expect(shard.get("b").status == (coversAll ? .miss : .hit))
        _ = shard.set("a", "three", .init(tags: [.named("t")]))
        #expect(shard.get("a").text == "three")
    }

    @Test(arguments: [Scope.key("a"), .tag("t"), .prefix("a"), Scope(.namespace(.default)), .all])
    func aLoadThatBeganBeforeAnInvalidationIsNotStored(scope: Scope) {
        var shard = ShardHarness()
        let token = shard.token(for: "a")
        #expect(token != nil)
        _ = shard.invalidate(scope)
        // The tags are known only now, after the load.
        let late = shard.fill("a", "old", token, tags: [.named("t")])
        #expect(late.refusal == .invalidatedMeanwhile)
        #expect(shard.get("a").status == .miss)
    }

    @Test func aFencedLoadIsStoredAndMarkedSo() {
        var shard = ShardHarness()
        let filled = shard.fill("a", "one", shard.token(for: "a"), tags: [.named("t")])
        #expect(filled.status == .stored)
        #expect(!filled.flags.contains(.unfenced))
        #expect(!shard.get("a").flags.contains(.unfenced))
        _ = shard.set("b", "blind")
        #expect(shard.get("b").flags.contains(.unfenced))
    }

    /// A minimum version is forgotten in time, and with it what a store without a token is held
    /// against: so such a store never claims more than it can.
    @Test func aVersionedStoreWithoutATokenIsAlwaysUnfenced() {
        var shard = ShardHarness()
        var scope = Scope.key("k")
        scope.minimumVersion = Version(6)
        _ = shard.invalidate(scope)
        #expect(shard.set("k", "old", .init(version: Version(5))).refusal == .olderVersion)
        for number in 0..<180 {
            let scopes = (0..<1_000).map { Scope.key("other-\(number)-\($0)") }
            let record = shard.log.append(scopes)
            shard.core.apply([record], isAwaited: false, now: shard.now, effects: &shard.effects)
        }
        let stored = shard.set("k", "old", .init(version: Version(5)))
        #expect(stored.status == .stored && stored.flags.contains(.unfenced))
        #expect(shard.get("k").flags.contains(.unfenced))
        _ = shard.invalidate(.key("new"))
        #expect(shard.set("new", "one", .init(version: Version(1))).flags.contains(.unfenced))
    }

    @Test func oneLoadsAndTheOthersAreToldToWait() {
        var shard = ShardHarness()
        let first = shard.get("a", .token)
        let second = shard.get("a", .token)
        #expect(first.fields.token != nil)
        #expect(second.fields.token == nil)
        #expect(second.fields.retryAfterMilliseconds ?? 0 > 0)
        shard.advance(by: .seconds(6))
        #expect(shard.get("a", .token).fields.token != nil)
    }

    @Test func aSlowLoadIsStoredUnlessAnotherLoadHasStarted() {
        var shard = ShardHarness()
        let slow = shard.token(for: "a")
        shard.advance(by: .seconds(30))
        #expect(shard.fill("a", "late", slow).status == .stored)

        let slower = shard.token(for: "b")
        shard.advance(by: .seconds(30))
        #expect(shard.token(for: "b") != nil)
        #expect(shard.fill("b", "late", slower).refusal == .leaseVoid)
    }

    @Test func anotherStoreOfTheKeyVoidsTheLoad() {
        var shard = ShardHarness()
        let token = shard.token(for: "a")
        _ = shard.set("a", "newer")
        #expect(shard.fill("a", "older", token).refusal == .leaseVoid)
        #expect(shard.get("a").text == "newer")
    }

    /// The tags are known only at the end of a load, so only its end can give the right on.
    @Test func aRefusedLoadGivesTheRightToTheNextOne() {
        var shard = ShardHarness()
        let overtaken = shard.token(for: "a")
        _ = shard.invalidate(.tag("t"))
        #expect(shard.token(for: "a") == nil)
        let refused = shard.fill("a", "old", overtaken, tags: [.named("t")])
        #expect(refused.refusal == .invalidatedMeanwhile)
        let next = shard.token(for: "a")
        #expect(next != nil)
        #expect(shard.fill("a", "older still", overtaken).refusal == .leaseVoid)
        #expect(shard.fill("a", "new", next, tags: [.named("t")]).status == .stored)
    }

    @Test func aTokenOfAnotherLogIsRefused() {
        var shard = ShardHarness()
        let token = shard.token(for: "a")
        shard.core.forget(
            continuingFrom: LogMark(
                position: LogPosition(epoch: Epoch(2), sequence: SequenceNumber(7)),
                digest: LogDigest(1)), now: shard.now, effects: &shard.effects)
        #expect(shard.fill("a", "old", token).refusal == .tokenTooOld)
    }

    /// A publisher that lost its log, or the end of it, uses numbers again. A run judges its own
    /// tokens rightly, for it forgets before it follows another log; of another run's token nobody
    /// knows which log its position is of.
    @Test func aTokenOfAnotherRunIsRefusedWhateverItsPosition() {
        var shard = ShardHarness()
        let lost = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(9))
        let token = FillToken(position: lost, incarnation: Incarnation(76), nonce: 5)
        _ = shard.invalidate(.key("a"))
        #expect(shard.fill("a", "old", token).refusal == .tokenTooOld)
        #expect(shard.get("a").status == .miss)
    }

    @Test func forgettingHidesEverythingThatWasFilledBefore() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        shard.core.forget(
            continuingFrom: LogMark(
                position: LogPosition(epoch: Epoch(2), sequence: SequenceNumber(7)),
                digest: LogDigest(1)), now: shard.now, effects: &shard.effects)
        #expect(shard.get("a").status == .miss)
        _ = shard.set("a", "two")
        #expect(shard.get("a").text == "two")
    }

    /// A stamp has sixteen bits for them. A peer chooses how many there are.
    @Test func tooManyEpochsForAStampCauseOnlyMisses() {
        func adopt(_ epoch: UInt32, at sequence: UInt64, by shard: inout ShardHarness) {
            let position = LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
            shard.effects.removeAll()
            shard.core.forget(
                continuingFrom: LogMark(position: position, digest: LogDigest(1)), now: shard.now,
                effects: &shard.effects)
        }
        var shard = ShardHarness()
        for epoch in 2...65_520 as ClosedRange<UInt32> { adopt(epoch, at: 7, by: &shard) }
        _ = shard.set("a", "65520")
        #expect(shard.get("a").text == "65520")
        for epoch in 65_521...65_560 as ClosedRange<UInt32> {
            adopt(epoch, at: 3, by: &shard)
            #expect(shard.get("a").status == .miss)
            _ = shard.set("a", "\(epoch)")
            #expect(["", "\(epoch)"].contains(shard.get("a").text))
        }
        #expect(shard.get("a").status == .miss, "it shows nothing until it is started again")
    }

    @Test func aSoftInvalidationServesOnlyReadersThatAllowStale() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        _ = shard.invalidate(.key("a"), strength: .soft)
        #expect(shard.get("a").status == .miss)
        let stale = shard.get("a", .allowStale)
        #expect(stale.status == .stale)
        #expect(stale.flags.contains(.soft))
        #expect(stale.text == "one")
        shard.advance(by: .seconds(61))
        #expect(shard.get("a", .allowStale).status == .miss)
    }

    @Test func hardAfterSoftIsGoneForGood() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        _ = shard.invalidate(.key("a"), strength: .soft)
        _ = shard.invalidate(.key("a"))
        #expect(shard.get("a", .allowStale).status == .miss)
    }

    @Test func aMinimumVersionKeepsNewerValuesAndRefusesOlderOnes() {
        var shard = ShardHarness()
        _ = shard.set("a", "five", .init(version: Version(5)))
        var scope = Scope.key("a")
        scope.minimumVersion = Version(5)
        _ = shard.invalidate(scope)
        #expect(shard.get("a").text == "five")
        scope.minimumVersion = Version(6)
        _ = shard.invalidate(scope)
        #expect(shard.get("a").status == .miss)
        #expect(shard.set("a", "five", .init(version: Version(5))).refusal == .olderVersion)
        #expect(shard.set("a", "six", .init(version: Version(6))).status == .stored)
    }

    @Test func withoutALeaseNothingIsCalledFresh() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        shard.makeLive(for: .seconds(3))
        shard.advance(by: .seconds(3))
        let stale = shard.get("a")
        #expect(stale.status == .stale)
        #expect(stale.flags.contains(.suspect))
        let mayClaimFresh = shard.core.mayClaimFresh(now: shard.now)
        #expect(!mayClaimFresh)

        var policy = NamespacePolicy()
        policy.suspect = .refuse
        shard.core.configure([:], fallback: policy)
        let refused = shard.get("a")
        #expect(refused.status == .behind)
        #expect(refused.detail == BehindReason.lease.rawValue)
        #expect(shard.get("a", .allowStale).status == .stale)
        shard.makeLive()
        #expect(shard.get("a").status == .hit)
    }

    /// In a namespace that applications fill; where there is an origin it is loaded instead.
    @Test func whatIsOlderThanTheReaderAllowsIsNotFresh() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        _ = shard.set("b", "two", .init(timeToLive: 60_000))
        shard.advance(by: .seconds(10))
        func within(
            _ seconds: UInt32, _ options: GetOperation.Options = [], of key: String = "a"
        ) -> ShardHarness.Outcome {
            let shape = RequestShape(maxAgeMilliseconds: seconds * 1_000)
            return shard.only(shard.getFrame([key], options, shape))
        }
        for key in ["a", "b"] {
            #expect(within(20, of: key).status == .hit)
            #expect(within(5, of: key).status == .miss)
            #expect(within(0, of: key).status == .miss)
            let stale = within(5, .allowStale, of: key)
            #expect(stale.status == .stale && stale.text == (key == "a" ? "one" : "two"))
            #expect(within(20, .allowStale, of: key).status == .hit)
        }
        #expect(within(5, .token).fields.token != nil, "who may load it gets a token")
        #expect(shard.get("a").status == .hit)
    }

    @Test func blindStoresAreHeldOffAfterAnInvalidationThatCoversThem() {
        var shard = ShardHarness()
        var policy = NamespacePolicy()
        policy.blindSet = .holdOff
        shard.core.configure([:], fallback: policy)
        _ = shard.invalidate(.key("z"))
        shard.advance(by: .seconds(10))
        _ = shard.invalidate(.key("a"))
        #expect(shard.set("a", "old").refusal == .blind)
        #expect(shard.set("b", "fine").status == .stored)
        shard.advance(by: .seconds(3))
        #expect(shard.set("a", "new").status == .stored)

        policy.blindSet = .reject
        shard.core.configure([:], fallback: policy)
        #expect(shard.set("c", "blind").refusal == .blind)
        #expect(shard.set("c", "v1", .init(version: Version(1))).status == .stored)
    }

    @Test func aReadWaitsUntilItsRequestedPositionIsApplied() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        let next = shard.log.head.position.next
        let shape = RequestShape(atLeast: next, deadlineMilliseconds: 500)
        #expect(shard.send(shard.getFrame(["a"], [], shape)).isEmpty)
        #expect(shard.finishWaiting().isEmpty)
        _ = shard.invalidate(.key("a"))
        guard case .results(let proof, let outcomes) = shard.finishWaiting().first else {
            Issue.record("the read is answered once its position is applied")
            return
        }
        #expect(proof.position == next)
        #expect(outcomes.first?.status == .miss)
    }

    @Test func aReadThatWaitsTooLongIsToldSo() {
        var shard = ShardHarness()
        let next = shard.log.head.position.next
        let shape = RequestShape(atLeast: next, deadlineMilliseconds: 500)
        #expect(shard.send(shard.getFrame(["a", "b"], [], shape)).isEmpty)
        shard.advance(by: .milliseconds(500))
        guard case .results(_, let outcomes) = shard.finishWaiting().first else {
            Issue.record("the read is answered at its deadline")
            return
        }
        #expect(outcomes.map(\.status) == [.behind, .behind])
    }

    @Test func recordsOfATurnAreReportedOnceAndAwaitedIfAnyIs() {
        var shard = ShardHarness()
        for (waits, isAwaited) in [
            ([false, false], false), ([true, false], true), ([false, true, false], true),
        ] {
            shard.effects = []
            var last = LogPosition.none
            for wait in waits { last = shard.invalidate(.key("a"), isAwaited: wait) }
            let said = shard.effects.compactMap { effect -> (LogPosition, Bool)? in
                guard case .applied(let mark, let isAwaited) = effect else { return nil }
                return (mark.position, isAwaited)
            }
            #expect(said.count == 1 && said[0] == (last, isAwaited))
        }
    }
}
