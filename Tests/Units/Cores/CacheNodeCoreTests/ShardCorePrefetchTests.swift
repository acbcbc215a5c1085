import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Keys that are asked for ahead of need: loaded as nobody waits for them, answered without their
/// values, and no use of the entry.
@Suite struct ShardCorePrefetchTests {
    @Test func aPrefetchLoadsWithTheLowestUrgencyAndReturnsNoValue() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a", .prefetch)
        #expect(load?.urgency == .prefetch && load?.request.key == CacheKey("a"))
        let answers = shard.end(load, .text("one") { $0.lifetime = .seconds(10) })
        #expect(answers.count == 1 && answers[0].status == .hit && answers[0].value == [])
        #expect(answers[0].detail == Tier.origin.rawValue)
        #expect(answers[0].ttl > 9_900 && answers[0].ttl <= 10_000)
        #expect(shard.get("a").text == "one")
    }

    @Test func whatIsFreshIsSaidAndNotLoaded() {
        var shard = ShardHarness()
        shard.readThrough()
        #expect(shard.set("a", "one").status == .stored)
        _ = shard.end(shard.ask("none"), .none(for: .seconds(10)))
        let there = shard.get("a", .prefetch)
        #expect(there.status == .hit && there.value == [])
        #expect(there.detail == Tier.memory.rawValue && there.flags == .unfenced)
        let absent = shard.get("none", .prefetch)
        #expect(absent.status == .miss && absent.flags == .negative && absent.ttl > 9_000)
        #expect(shard.takeLoads().isEmpty)
        #expect(shard.core.statistics.reads.prefetchesFresh == 2)
    }

    @Test func whatIsOlderThanAskedForIsLoaded() {
        var shard = ShardHarness()
        shard.readThrough()
        _ = shard.end(shard.ask("a"), .text("one"))
        shard.advance(by: .seconds(5))
        #expect(shard.get("a", .prefetch).status == .hit)
        let load = shard.ask("a", .prefetch, RequestShape(maxAgeMilliseconds: 1_000))
        #expect(load?.urgency == .prefetch)
        #expect(shard.end(load, .text("two")).map(\.status) == [.hit])
        #expect(shard.get("a").text == "two")
    }

    @Test(arguments: [InvalidationRecord.Strength.hard, .soft])
    func whatWasInvalidatedIsLoaded(strength: InvalidationRecord.Strength) {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.staleWindow = .seconds(60) }
        _ = shard.end(shard.ask("a"), .text("one"))
        _ = shard.invalidate(.key("a"), strength: strength)
        let load = shard.ask("a", .prefetch)
        #expect(load?.urgency == .prefetch)
        #expect(shard.end(load, .text("two")).map(\.status) == [.hit])
        #expect(shard.get("a").text == "two")
    }

    @Test func itIsNoUseOfTheEntryAndNoLookup() {
        var shard = ShardHarness()
        shard.readThrough()
        _ = shard.end(shard.ask("a", .prefetch), .text("one"))
        for _ in 0..<5 { #expect(shard.get("a", .prefetch).status == .hit) }
        let counted = shard.core.statistics.reads
        #expect(counted.gets == 0 && counted.hits == 0 && counted.misses == 0)
        #expect(counted.prefetches == 6 && counted.prefetchesFresh == 5)
    }

    // MARK: Sharing

    @Test func itJoinsALoadThatIsUnderWayAndHurriesNothing() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a")
        #expect(shard.ask("a", .prefetch) == nil)
        #expect(shard.send(shard.getFrame(["a"], .prefetch)).isEmpty)
        #expect(shard.hastened.isEmpty && load?.urgency == .awaited)
        #expect(shard.end(load, .text("one")).map(\.text) == ["one", "", ""])
    }

    @Test func itLeavesARefreshAsItIs() {
        var shard = ShardHarness()
        shard.readThrough { _, origin in origin.staleWhileRevalidate = .seconds(60) }
        _ = shard.end(shard.ask("a"), .text("one") { $0.lifetime = .seconds(1) })
        shard.advance(by: .seconds(2))
        #expect(shard.get("a").status == .stale)
        #expect(shard.send(shard.getFrame(["a"], .prefetch)).isEmpty)
        #expect(shard.hastened.isEmpty)
        #expect(shard.takeLoads().map(\.urgency) == [.refresh])
    }

    /// The first who waits hastens it, and only the first.
    @Test func aReaderHastensIt() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a", .prefetch)
        #expect(shard.send(shard.getFrame(["a"], .prefetch)).isEmpty)
        #expect(shard.hastened.isEmpty)
        for _ in 0..<3 { #expect(shard.send(shard.getFrame(["a"])).isEmpty) }
        #expect(shard.hastened == [load?.number])
        #expect(shard.end(load, .text("one")).map(\.text) == ["", "", "one", "one", "one"])
    }

    // MARK: Invalidations

    @Test func whatAnInvalidationOvertookIsSaidNotToBeKept() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a", .prefetch)
        _ = shard.invalidate(.key("a"))
        let answers = shard.end(load, .text("old"))
        #expect(answers.map(\.status) == [.miss] && answers[0].flags == .overtaken)
        #expect(shard.takeLoads().isEmpty, "nobody waits for it: it is not loaded again")
    }

    /// Who asked after an invalidation shares another load, as urgent as the most urgent of them.
    @Test(arguments: [true, false])
    func theLoadAfterAnInvalidationHasTheUrgencyOfItsReaders(hasReader: Bool) {
        var shard = ShardHarness()
        shard.readThrough()
        let first = shard.ask("a")
        _ = shard.invalidate(.tag("t"))
        #expect(shard.ask("a", .prefetch) == nil, "its tags are not known yet")
        if hasReader { #expect(shard.ask("a") == nil) }
        _ = shard.end(first, .text("old") { $0.tags = [.named("t")] })
        let again = shard.takeLoads()
        #expect(again.map(\.urgency) == [hasReader ? .awaited : .prefetch])
        let answers = shard.end(again[0], .text("new") { $0.tags = [.named("t")] })
        #expect(answers.map(\.status) == (hasReader ? [.hit, .hit] : [.hit]))
    }

    // MARK: What it comes to

    @Test func whatMustNotBeKeptIsSaid() {
        var shard = ShardHarness()
        shard.readThrough()
        let answers = shard.end(
            shard.ask("a", .prefetch), .text("one") { $0.mayStore = false })
        #expect(answers.map(\.status) == [.miss] && answers[0].flags == [])
    }

    @Test func thatThereIsNoneIsSaid() {
        var shard = ShardHarness()
        shard.readThrough()
        let answers = shard.end(shard.ask("a", .prefetch), .none(for: .seconds(3)))
        #expect(answers.map(\.status) == [.miss] && answers[0].flags == .negative)
        #expect(answers[0].ttl > 2_900)
    }

    @Test func whatIsConfirmedIsThere() {
        var shard = ShardHarness()
        shard.readThrough()
        _ = shard.end(
            shard.ask("a"), .text("one") { $0.validator = Validator("\"e\"") })
        _ = shard.invalidate(.key("a"), strength: .soft)
        let load = shard.ask("a", .prefetch)
        #expect(load?.request.validator == Validator("\"e\""))
        let answers = shard.end(load, .unchanged(LoadedFacts()))
        #expect(answers.map(\.status) == [.hit] && answers[0].detail == Tier.origin.rawValue)
    }

    @Test func aFailureSaysItsCauseAndWhenToComeBack() {
        var shard = ShardHarness()
        shard.readThrough()
        let answers = shard.end(
            shard.ask("a", .prefetch), .failed(.overloaded, retryAfter: .milliseconds(700)))
        #expect(answers.map(\.status) == [.failed])
        #expect(answers[0].detail == LoadFailure.overloaded.rawValue)
        #expect(answers[0].fields.retryAfterMilliseconds == 700)
    }

    /// Nothing is served: what is stale is no answer to a prefetch.
    @Test func aFailureIsToldAlsoWhereReadersGetWhatIsStale() {
        var shard = ShardHarness()
        shard.readThrough { _, origin in origin.staleIfError = .seconds(60) }
        _ = shard.end(shard.ask("a"), .text("one") { $0.lifetime = .seconds(1) })
        shard.advance(by: .seconds(2))
        let answers = shard.end(shard.ask("a", .prefetch), .error(.unavailable))
        #expect(answers.map(\.status) == [.failed])
    }

    /// What is there is older than was asked for, and stays so: simulation seed 26.
    @Test func aFailedPrefetchIsReportedDespiteATooOldEntry() {
        var shard = ShardHarness()
        shard.readThrough()
        _ = shard.end(shard.ask("a"), .text("one"))
        shard.advance(by: .seconds(5))
        let load = shard.ask("a", .prefetch, RequestShape(maxAgeMilliseconds: 1_000))
        let answers = shard.end(load, .error(.unavailable))
        #expect(answers.map(\.status) == [.failed])
        #expect(shard.get("a").text == "one")
    }

    @Test func aFailedPrefetchIsAHitIfStoredMeanwhile() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a", .prefetch, RequestShape(maxAgeMilliseconds: 1_000))
        #expect(shard.set("a", "one").status == .stored)
        let answers = shard.end(load, .error(.unavailable))
        #expect(answers.map(\.status) == [.hit])
        #expect(answers[0].detail == Tier.memory.rawValue)
    }

    @Test func itWaitsNoLongerThanItSays() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a", .prefetch, RequestShape(deadlineMilliseconds: 1_000))
        shard.advance(by: .seconds(1))
        let late = shard.finishedOutcomes()
        #expect(late.map(\.status) == [.failed])
        #expect(late[0].detail == LoadFailure.stillLoading.rawValue)
        #expect(shard.end(load, .text("one")).isEmpty, "the load goes on, and is kept")
        #expect(shard.get("a").text == "one")
    }

    // MARK: Where it is not done

    @Test func aPrefetchWithoutAnOriginFailsEvenForAnExistingKey() {
        var shard = ShardHarness()
        #expect(shard.set("a", "one").status == .stored)
        for key in ["a", "b"] {
            let answer = shard.get(key, .prefetch)
            #expect(answer.status == .failed)
            #expect(answer.detail == LoadFailure.noOrigin.rawValue)
        }
    }

    @Test func aNodeWithoutALeaseLoadsNothingAhead() {
        var shard = ShardHarness(isLive: false)
        shard.readThrough()
        let answer = shard.get("a", .prefetch)
        #expect(answer.status == .behind && answer.detail == BehindReason.lease.rawValue)
        #expect(shard.takeLoads().isEmpty)
    }

    @Test func aNodeThatLeavesLoadsNothingAhead() {
        var shard = ShardHarness()
        shard.readThrough()
        var standing = NodeStanding.unheard
        standing.state = .draining
        standing.leaseExpiresAt = shard.now.advanced(by: .seconds(60))
        shard.core.setStanding(standing)
        let answer = shard.get("a", .prefetch)
        #expect(answer.status == .failed && answer.detail == LoadFailure.cancelled.rawValue)
        #expect(shard.takeLoads().isEmpty)
    }

    // MARK: Bounds

    /// Readers find room however many prefetches wait.
    @Test func prefetchesUseAShareOfTheWaitingCapacityAndReceiveBusy() {
        var shard = ShardHarness()
        shard.readThrough()
        let batch = 512
        let messages = ShardLimits.prefetchesWaitingMax / batch
        for number in 0..<messages {
            let keys = (0..<batch).map { "\(number)-\($0)" }
            #expect(shard.send(shard.getFrame(keys, .prefetch)).isEmpty)
        }
        let loads = shard.takeLoads()
        #expect(loads.count == ShardLimits.prefetchesWaitingMax)
        let busy = shard.get("more", .prefetch)
        #expect(busy.status == .busy && busy.fields.retryAfterMilliseconds != nil)
        #expect(shard.ask("more")?.urgency == .awaited, "a reader waits")
        for load in loads.prefix(batch) { _ = shard.end(load, .text("x")) }
        #expect(shard.ask("yet another", .prefetch)?.urgency == .prefetch, "there is room again")
    }
}
