import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What is held and fresh is answered without asking what is demanded. From the first key on that
/// is not, a message goes the long way, and it is counted once.
@Suite struct ShardCorePlainHitsTests {
    private static func shard(
        _ change: (inout NamespacePolicy, inout OriginPolicy) -> Void = { _, _ in }
    ) -> ShardHarness {
        var shard = ShardHarness()
        shard.readThrough(change)
        for key in ["a", "b", "c"] {
            let load = shard.ask(key)
            _ = shard.end(load, .text(key) { $0.staleIfError = .seconds(60) })
        }
        return shard
    }

    private static func outcomes(_ replies: [ShardHarness.Reply]) -> [ShardHarness.Outcome] {
        guard case .results(_, let outcomes) = replies.first else { return [] }
        return outcomes
    }

    @Test func hitsOfAMessageAreCounted() {
        var shard = Self.shard()
        let before = shard.core.statistics.reads
        let answers = Self.outcomes(shard.send(shard.getFrame(["a", "b", "c"])))
        #expect(answers.map(\.text) == ["a", "b", "c"])
        #expect(answers.allSatisfy { $0.status == .hit && $0.ttl > 59_000 && $0.ttl <= 60_000 })
        #expect(shard.core.statistics.reads.gets == before.gets + 3)
        #expect(shard.core.statistics.reads.hits == before.hits + 3)
        #expect(shard.core.statistics.reads.misses == before.misses)
    }

    @Test(arguments: 0..<3)
    func aMissAnywhereKeepsTheWholeMessage(place: Int) {
        var shard = Self.shard()
        var keys = ["a", "b", "c"]
        keys[place] = "new"
        let before = shard.core.statistics.reads
        #expect(shard.send(shard.getFrame(keys)).isEmpty)
        #expect(shard.core.statistics.reads.hits == before.hits)
        #expect(shard.core.statistics.reads.gets == before.gets)
        #expect(shard.core.statistics.reads.misses == before.misses + 1)
        let loads = shard.takeLoads()
        #expect(loads.map { $0.request.key } == [CacheKey("new")])
        let answers = shard.end(loads.first, .text("new"))
        #expect(answers.map(\.text) == keys)
        #expect(shard.core.statistics.reads.gets == before.gets + 3)
        #expect(shard.core.statistics.reads.hits == before.hits + 2)
        #expect(shard.core.statistics.reads.misses == before.misses + 1)
    }

    @Test(arguments: 0..<3)
    func whatIsSoftAnywhereIsServedByItsWindow(place: Int) {
        var shard = Self.shard { policy, origin in
            policy.staleWindow = .seconds(60)
            origin.staleWhileRevalidate = .seconds(60)
        }
        let keys = ["a", "b", "c"]
        _ = shard.invalidate(.key(keys[place]), strength: .soft)
        let answers = Self.outcomes(shard.send(shard.getFrame(keys)))
        #expect(answers.map(\.text) == keys)
        for (index, answer) in answers.enumerated() {
            #expect(answer.status == (index == place ? .stale : .hit))
        }
        #expect(shard.takeLoads().map { $0.request.key } == [CacheKey(keys[place])])
    }

    @Test func pastItsLifetimeNothingIsAPlainHit() {
        var shard = Self.shard()
        shard.advance(by: .milliseconds(60_001))
        #expect(shard.ask("a") != nil)
    }

    @Test func thatThereIsNoneIsNoHit() {
        var shard = Self.shard()
        let load = shard.ask("none")
        _ = shard.end(load, .none(for: .seconds(10)))
        let answer = shard.get("none")
        #expect(answer.status == .miss && answer.flags == .negative)
    }

    @Test(arguments: [ReadPolicy.networkFirst, .networkOnly])
    func policiesThatAskTheOriginFirstHaveNoPlainHits(policy: ReadPolicy) {
        var shard = Self.shard { _, origin in origin.read = policy }
        #expect(shard.ask("a") != nil)
    }

    @Test func inItsLastShareAValueIsLoadedAnewBehindTheAnswer() {
        var shard = Self.shard { _, origin in origin.refreshShare = Percent(50) ?? .none }
        #expect(shard.get("a").text == "a")
        #expect(shard.takeLoads().isEmpty)
        shard.advance(by: .seconds(31))
        let answer = shard.get("a")
        #expect(answer.status == .hit && answer.text == "a")
        #expect(shard.takeLoads().map(\.urgency) == [.refresh])
        #expect(shard.core.loads.statistics.refreshes == 1)
    }

    /// The reply that would tell of it is dropped.
    @Test func aLoadBehindAMessageThatWaitsBeginsOnceAndIsNotCounted() {
        var shard = Self.shard { _, origin in origin.refreshShare = Percent(50) ?? .none }
        shard.advance(by: .seconds(31))
        let before = (shard.core.statistics.reads, shard.core.loads.statistics)
        #expect(shard.send(shard.getFrame(["a", "new"])).isEmpty)
        let loads = shard.takeLoads()
        #expect(loads.map(\.urgency) == [.refresh, .awaited])
        var (reads, counted) = before
        reads.misses += 1
        #expect(shard.core.statistics.reads == reads)
        #expect(shard.core.loads.statistics.begun == counted.begun + 1)
        #expect(shard.core.loads.statistics.refreshes == counted.refreshes)
        #expect(shard.end(loads.last, .text("new")).map(\.text) == ["a", "new"])
        #expect(shard.takeLoads().isEmpty, "one is under way")
        reads.gets += 2
        reads.hits += 1
        reads.loadedHits += 1
        #expect(shard.core.statistics.reads == reads)
        counted = shard.core.loads.statistics
        #expect(counted.waits == before.1.waits + 1)
    }
}
