import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Who waited for a load is answered from memory with what that load stored or confirmed, and with
/// nothing else that memory has of the key.
@Suite struct ShardCoreLoadedIdentityTests {
    /// A shard with "v1" of each key, past its lifetime and inside a stale window.
    private static func past(_ keys: [String]) -> ShardHarness {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.timeToLive = .seconds(10)
            policy.valueBytesMax = 16 << 20
            origin.staleIfError = .seconds(60)
        }
        for key in keys { _ = shard.end(shard.ask(key), .text("v1")) }
        shard.advance(by: .seconds(11))
        return shard
    }

    private static func loaded(_ byteCount: Int, mayStore: Bool) -> LoadOutcome {
        var facts = LoadedFacts()
        facts.mayStore = mayStore
        facts.tags = [.named("t")]
        return .value([UInt8](repeating: 118, count: byteCount), facts)
    }

    @Test func noOlderValueIsServedForALargeValueNotKept() {
        var shard = Self.past(["a"])
        let outcomes = shard.end(shard.ask("a"), Self.loaded(2 << 20, mayStore: false))
        #expect(outcomes.map(\.status) == [.failed])
        #expect(outcomes[0].detail == LoadFailure.notKept.rawValue)
    }

    /// Its reader would ask again at once, and so would the others whose values drove it out.
    @Test func aLargeValueLostRepeatedlyIsReloadedAFewTimesOnly() {
        var shard = Self.past([])
        var load = shard.ask("a")
        for attempt in 1...ShardLimits.loadsPerReaderMax {
            guard let number = load?.number else {
                Issue.record("it is loaded again inside of its message")
                return
            }
            shard.core.loadEnded(
                number, Self.loaded(2 << 20, mayStore: true), now: shard.now,
                effects: &shard.effects)
            _ = shard.invalidate(.tag("t"))
            let outcomes = shard.finishedOutcomes()
            load = shard.takeLoads().first
            guard attempt == ShardLimits.loadsPerReaderMax else {
                #expect(outcomes.isEmpty)
                continue
            }
            #expect(outcomes.map(\.status) == [.failed] && load == nil)
            #expect(outcomes.first?.detail == LoadFailure.notKept.rawValue)
        }
    }

    @Test func networkOnlyIsNotAnsweredByAnOlderValue() {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.valueBytesMax = 16 << 20 }
        _ = shard.end(shard.ask("a"), .text("v1"))
        let outcomes = shard.end(shard.askAnew("a"), Self.loaded(2 << 20, mayStore: false))
        #expect(outcomes.map(\.status) == [.failed])
    }

    /// A request holds what its answer has room for; what is beyond that is looked for in memory.
    @Test func noOlderValueIsServedForADeferredLoad() {
        let keys = ["a", "b", "c", "d"]
        var shard = Self.past(keys)
        #expect(shard.send(shard.getFrame(keys)).isEmpty)
        let loads = shard.takeLoads()
        for load in loads.dropLast() {
            #expect(shard.end(load, Self.loaded(500_000, mayStore: false)).isEmpty)
        }
        let outcomes = shard.end(loads.last, Self.loaded(10, mayStore: false))
        #expect(outcomes.map(\.status) == [.hit, .deferred, .deferred, .hit])
    }

    @Test func aLongValueThatWasSoftlyInvalidatedMeanwhileIsMarked() {
        var shard = Self.past([])
        #expect(shard.send(shard.getFrame(["a", "b"])).isEmpty)
        let loads = shard.takeLoads()
        #expect(shard.end(loads[0], Self.loaded(2 << 20, mayStore: true)).isEmpty)
        _ = shard.invalidate(.tag("t"), strength: .soft)
        let outcomes = shard.end(loads[1], .text("two"))
        #expect(outcomes.map(\.status) == [.hit, .hit])
        #expect(outcomes.map(\.flags) == [.overtaken, []])
    }

    /// The lease of the first load was the second one's, which has ended and kept nothing.
    @Test func aLaterLoadThatKeptNothingLeavesTheEarlierOneItsValue() {
        var shard = ShardHarness()
        shard.readThrough()
        _ = shard.end(shard.ask("a"), .text("v1"))
        let first = shard.askAnew("a")
        shard.advance(by: .milliseconds(10))
        let second = shard.askAnew("a")
        #expect(shard.end(second, .error(.unavailable)).map(\.status) == [.failed])
        #expect(shard.end(first, .text("v2")).map(\.text) == ["v2"])
    }

    /// Asked for again, the origin would say the same: four requests, and a reason that is none.
    @Test func anOlderVersionThanASoftlyInvalidatedEntryFailsAtOnce() {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.staleWindow = .zero }
        let stored = shard.end(
            shard.ask("a"),
            .text("five") {
                $0.version = Version(5)
                $0.tags = [.named("t")]
            })
        #expect(stored.map(\.status) == [.hit])
        _ = shard.invalidate(.tag("t"), strength: .soft)
        let outcomes = shard.end(shard.ask("a"), .text("four") { $0.version = Version(4) })
        #expect(outcomes.map(\.status) == [.failed])
        #expect(outcomes.first?.detail == LoadFailure.outdated.rawValue)
        #expect(shard.takeLoads().isEmpty)
    }

    @Test func aPeerGetsNoOlderValueForOneNotKept() {
        let stage = PeerStage(2) { policy, origin in
            policy.timeToLive = .seconds(10)
            policy.valueBytesMax = 16 << 20
            origin.staleIfError = .seconds(60)
        }
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.text("v1"))
        stage.advance(by: .seconds(11))
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.asked.map(\.node) == [0])
        stage.answer(Self.loaded(2 << 20, mayStore: false))
        #expect(stage.answers[1].isEmpty, "it asks the origin by itself")
        #expect(stage.asked.map(\.node) == [1])
        stage.answer(.text("v2"))
        #expect(stage.answers[1].map(\.text) == ["v2"])
    }

    @Test func whatWasTooOldBeforeAPrefetchIsNotWhatItBrought() {
        var shard = ShardHarness()
        shard.readThrough()
        _ = shard.end(shard.ask("a"), .text("v1"))
        shard.advance(by: .seconds(5))
        let frame = shard.getFrame(["a"], .prefetch, RequestShape(maxAgeMilliseconds: 1_000))
        #expect(shard.send(frame).isEmpty)
        let outcomes = shard.end(shard.takeLoads().first, .text("v2") { $0.mayStore = false })
        #expect(outcomes.map(\.status) == [.miss], "it was not kept")
    }
}
