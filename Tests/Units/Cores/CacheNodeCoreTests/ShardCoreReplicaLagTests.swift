import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What is loaded soon after an invalidation may come from a replica that had not seen the change.
@Suite struct ShardCoreReplicaLagTests {
    private static func lagging() -> ShardHarness {
        var shard = ShardHarness()
        var policy = NamespacePolicy()
        policy.replicaLag = .seconds(2)
        shard.core.configure([:], fallback: policy)
        _ = shard.invalidate(.key("z"))
        shard.advance(by: .seconds(10))
        return shard
    }

    private func timeToLive(_ shard: inout ShardHarness, of key: String) -> UInt64 {
        shard.get(key).ttl
    }

    private func touch(_ shard: inout ShardHarness, _ key: String, _ ttl: UInt64) -> ResultStatus {
        shard.only(shard.touchFrame(key, ttl: ttl)).status
    }

    @Test func aLoadAfterAnInvalidationExpiresWithinTheReplicaLag() {
        var shard = Self.lagging()
        _ = shard.invalidate(.key("a"), .tag("t"))
        #expect(shard.fill("a", "old?", shard.token(for: "a")).status == .stored)
        #expect(timeToLive(&shard, of: "a") <= 2_000)
        #expect(
            shard.fill("b", "old?", shard.token(for: "b"), tags: [.named("t")]).status == .stored)
        #expect(timeToLive(&shard, of: "b") <= 2_000)
        shard.advance(by: .seconds(2))
        #expect(shard.get("a").status == .miss)
    }

    /// Its reader may keep it for as long as it is told: no longer than what was kept here. Found
    /// by the simulation.
    @Test func theReaderOfALoadIsToldTheCutLife() {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.replicaLag = .seconds(2) }
        _ = shard.invalidate(.key("z"))
        shard.advance(by: .seconds(10))
        _ = shard.invalidate(.key("a"))
        let answers = shard.end(shard.ask("a"), .text("old?"))
        #expect(answers.map(\.text) == ["old?"] && answers[0].ttl <= 2_000)
        #expect(shard.get("a").ttl <= 2_000)
    }

    /// A window that is longer than the lag left nothing of the lifetime that was cut to it.
    @Test func whatIsCutIsFreshForTheLagAndHasNoWindow() {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.replicaLag = .seconds(2)
            origin.staleIfError = .seconds(60)
        }
        _ = shard.invalidate(.key("a"))
        let loaded = shard.end(shard.ask("a"), .text("old?") { $0.validator = Validator("\"1\"") })
        #expect(loaded.map(\.text) == ["old?"])
        let hit = shard.get("a")
        #expect(hit.status == .hit && hit.ttl > 1_900 && hit.ttl <= 2_000)
        shard.advance(by: .milliseconds(2_100))
        let failed = shard.end(shard.ask("a"), .error(.unreachable))
        #expect(failed.map(\.status) == [.failed], "a doubtful value is not served stale")
    }

    @Test func aDoubtfulRevalidationAnswersReadersAndIsFreshForTheLag() {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.replicaLag = .seconds(2)
            policy.timeToLive = .seconds(10)
            origin.staleIfError = .seconds(60)
        }
        _ = shard.end(shard.ask("a"), .text("one") { $0.validator = Validator("\"1\"") })
        _ = shard.invalidate(.key("z"))
        let confirmed = shard.end(shard.askAnew("a"), .unchanged(LoadedFacts()))
        #expect(confirmed.map(\.text) == ["one"] && shard.takeLoads().isEmpty)
        let hit = shard.get("a")
        #expect(hit.status == .hit && hit.ttl > 1_900 && hit.ttl <= 2_000)
    }

    @Test func whatNothingCoveredLivesAsItWould() {
        var shard = Self.lagging()
        _ = shard.invalidate(.key("a"))
        #expect(shard.fill("b", "new", shard.token(for: "b")).status == .stored)
        #expect(timeToLive(&shard, of: "b") == .max)
        shard.advance(by: .seconds(3))
        #expect(shard.fill("a", "new", shard.token(for: "a")).status == .stored)
        #expect(timeToLive(&shard, of: "a") == .max)
    }

    /// It was read when its token was given, or later; nobody knows when.
    @Test func aLoadSlowerThanTheLagIsLimitedFromItsStart() {
        var shard = Self.lagging()
        _ = shard.invalidate(.key("a"))
        let token = shard.token(for: "a")
        shard.advance(by: .seconds(3))
        #expect(shard.fill("a", "old?", token).status == .stored)
        #expect(timeToLive(&shard, of: "a") <= 2_000)
    }

    /// The publisher may have died before it said the invalidation again: then the short life is
    /// all there is.
    @Test func aTouchDoesNotLengthenWhatWasCut() {
        var shard = Self.lagging()
        _ = shard.invalidate(.key("a"))
        #expect(shard.fill("a", "old?", shard.token(for: "a")).status == .stored)
        #expect(shard.fill("b", "new", shard.token(for: "b")).status == .stored)
        shard.advance(by: .seconds(1))
        for key in ["a", "b"] {
            for ttl in [UInt64(60_000), SetOperation.ttlNever] {
                #expect(touch(&shard, key, ttl) == .touched)
            }
        }
        #expect(timeToLive(&shard, of: "a") <= 1_000)
        #expect(timeToLive(&shard, of: "b") == .max)
        #expect(touch(&shard, "a", 100) == .touched)
        #expect(timeToLive(&shard, of: "a") <= 100, "shorter it may become")
    }

    @Test func aShorterLifeStaysShorter() {
        var shard = Self.lagging()
        _ = shard.invalidate(.key("a"))
        var description = SetOperation.Description(timeToLive: 500)
        description.token = shard.token(for: "a")
        #expect(shard.set("a", "old?", description).status == .stored)
        #expect(timeToLive(&shard, of: "a") <= 500)
    }

    /// A writer knows what it wrote.
    @Test func aStoreWithoutALoadIsNotCut() {
        var shard = Self.lagging()
        _ = shard.invalidate(.key("a"))
        #expect(shard.set("a", "new").status == .stored)
        #expect(timeToLive(&shard, of: "a") == .max)
    }

    @Test func aConfirmationByAReplicaIsCutAsWell() {
        var shard = Self.lagging()
        var description = SetOperation.Description()
        description.token = shard.token(for: "a")
        description.etag = Validator("e1")
        #expect(shard.set("a", "one", description).status == .stored)
        _ = shard.invalidate(.key("a"), strength: .soft)
        var renewal = SetOperation.Description()
        renewal.options = .renew
        renewal.etag = Validator("e1")
        renewal.token = shard.token(for: "a")
        #expect(shard.set("a", "", renewal).status == .stored)
        #expect(timeToLive(&shard, of: "a") <= 2_000)
    }

    @Test func aShardThatHasJustForgottenKnowsNothingAndCuts() {
        var shard = Self.lagging()
        shard.beginEpoch(2)
        #expect(shard.fill("a", "old?", shard.token(for: "a")).status == .stored)
        #expect(timeToLive(&shard, of: "a") <= 2_000)
    }

    /// A touch moves the end of the lifetime; the window comes after that. The first of two made
    /// the entry's end one that no lag had cut, and the second moved it.
    @Test(arguments: [Duration.milliseconds(500), .seconds(60)])
    func twoTouchesAreNoMoreThanOne(window: Duration) {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.timeToLive = .milliseconds(1_800)
            policy.replicaLag = .seconds(2)
            origin.staleIfError = window
        }
        _ = shard.invalidate(.key("a"))
        #expect(shard.end(shard.ask("a"), .text("old?")).map(\.status) == [.hit])
        for _ in 1...2 {
            shard.advance(by: .milliseconds(100))
            _ = touch(&shard, "a", 600_000)
        }
        shard.advance(by: .seconds(2))
        #expect(shard.send(shard.getFrame(["a"], [])).isEmpty, "it is loaded anew")
        #expect(shard.takeLoads().count == 1)
    }

    /// It is there for readers who take what is stale alone.
    @Test func whatIsPastItsLifetimeIsNotTouched() {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.timeToLive = .seconds(1)
            origin.staleIfError = .seconds(60)
        }
        #expect(shard.end(shard.ask("a"), .text("one")).map(\.status) == [.hit])
        #expect(touch(&shard, "a", 2_000) == .touched)
        shard.advance(by: .milliseconds(1_500))
        #expect(touch(&shard, "a", 2_000) == .touched)
        shard.advance(by: .seconds(3))
        #expect(touch(&shard, "a", 600_000) == .refused)
        let load = shard.ask("a")
        #expect(shard.end(load, .error(.unavailable)).map(\.status) == [.stale])
    }
}
