import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// A node that has just started, before it has the settings of its namespaces.
@Suite struct ShardCoreUnconfiguredTests {
    /// A life after a kill; "a" is on its disk.
    private static func restarted() -> DiskHarness {
        let node = DiskHarness()
        node.invalidate(.key("other"))
        node.checkpoint()
        _ = node.set("a", "one")
        let next = DiskHarness(afterKillOf: node, without: .configuration)
        next.join()
        return next
    }

    /// "a" may belong to a namespace that refuses to serve it.
    @Test func nothingIsServedUnconfirmed() throws {
        let node = Self.restarted()
        node.shard.core.setStanding(.unheard)
        let answer = try #require(node.get("a"))
        #expect(answer.status == .miss && answer.flags.contains(.suspect))
        #expect(node.shard.get("a", .allowStale).status == .stale)
        node.shard.core.configure([:], fallback: .standard)
        #expect(node.shard.get("a").status == .stale)
    }

    /// Its namespace may refuse the store, limit its lifetime, or have an origin that must get the
    /// change.
    @Test func nothingIsStoredRenewedOrRemoved() {
        var shard = ShardHarness.unconfigured()
        let frames = [
            shard.setFrame("b", "two"), shard.setFrame("b", "two", .init(version: Version(3))),
            shard.deleteFrame(["b"]), shard.touchFrame("b", ttl: 1_000),
            shard.frame(.chunk, count: 1) { _ in },
        ]
        for frame in frames {
            let answer = shard.only(frame)
            #expect(answer.status == .busy)
            #expect(answer.detail == StoreRefusal.unconfigured.rawValue)
            #expect(answer.fields.retryAfterMilliseconds != nil)
        }
        #expect(shard.effects.isEmpty, "nothing is sent to the publisher")
        shard.core.configure([:], fallback: .standard)
        #expect(shard.get("b").status == .miss)
        #expect(shard.only(frames[0]).status == .stored)
        #expect(shard.only(frames[3]).status == .touched)
    }

    /// *No origin* would end a client's whole run of prefetches.
    @Test func aPrefetchIsNotToldThatThereIsNoOrigin() {
        var shard = ShardHarness.unconfigured()
        let answer = shard.get("a", .prefetch)
        #expect(answer.status == .behind && answer.detail == BehindReason.lease.rawValue)
    }

    @Test func aReplicaCopiesNothingBeforeIt() {
        var shard = ShardHarness.unconfigured(isReplicated: true)
        let key = CacheKey.named("a")
        let before = shard.core.claim([key], in: .default, now: shard.now)
        #expect(before == nil)
        shard.core.configure([:], fallback: .standard)
        let after = shard.core.claim([key], in: .default, now: shard.now)
        #expect(after?.missing == [0])
    }

    /// A client that got one would wait for its store until its deadline.
    @Test func aMissGivesNoTokenAndSaysWhy() {
        var shard = ShardHarness.unconfigured()
        let answer = shard.get("a", .token)
        #expect(answer.status == .miss && answer.fields.token == nil)
        #expect(answer.detail == StoreRefusal.unconfigured.rawValue)
        #expect(shard.get("a").detail == 0)
        shard.core.configure([:], fallback: .standard)
        #expect(shard.token(for: "a") != nil)
    }
}
