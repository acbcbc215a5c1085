import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// EXPLAIN says what a GET would come to, and why; and that it was asked changes nothing.
@Suite struct ShardCoreExplainingTests {
    private func stored(
        _ shard: inout ShardHarness, etag: String? = nil, ttl: UInt64 = SetOperation.ttlNever
    ) {
        var description = SetOperation.Description(timeToLive: ttl, tags: [.named("t")])
        description.token = shard.token(for: "a")
        description.etag = etag.flatMap { Validator($0) }
        #expect(shard.set("a", "one", description).status == .stored)
    }

    private func explain(_ shard: inout ShardHarness, _ key: String = "a") throws -> Explanation {
        let key = try #require(CacheKey(key))
        let frame = shard.frame(.explain, count: 0) { writer in
            writer.append(UInt16(key.bytes.count))
            writer.append(key.bytes)
        }
        guard case .explanation(let explanation)? = shard.send(frame).first else {
            throw Unanswered()
        }
        return explanation
    }

    private struct Unanswered: Error {}

    @Test func anEntryIsDescribedWithWhereItComesFrom() throws {
        var shard = ShardHarness()
        stored(&shard, etag: "e1", ttl: 60_000)
        shard.advance(by: .seconds(2))
        let found = try explain(&shard)
        #expect(found.verdict == .fresh && found.state == .live)
        #expect(found.leaseLeftMilliseconds > 3_000_000 && found.loadLeftMilliseconds == 0)
        #expect(found.applied == shard.log.head.position)
        let entry = try #require(found.entry)
        #expect(entry.valueBytes == 3 && entry.chargedBytes > 3 && entry.etag == Validator("e1"))
        #expect(entry.tags == [.named("t")] && entry.fill == shard.log.head.position)
        #expect((1_900...2_100).contains(entry.ageMilliseconds))
        #expect(try #require(entry.ttlMilliseconds) <= 58_000)
        #expect(entry.softMilliseconds == nil && !entry.isUnfenced)
    }

    @Test func explainingAnAbsentKeyShowsItsLeaseAndItsFloors() throws {
        var shard = ShardHarness()
        #expect(try explain(&shard).verdict == .absent)
        let position = shard.invalidate(.prefix("a"))
        _ = shard.token(for: "a")
        let found = try explain(&shard)
        #expect(found.verdict == .absent && found.entry == nil)
        #expect(found.loadLeftMilliseconds > 0)
        let prefix = try #require(found.floors.first { $0.cover == .prefix })
        #expect(prefix.name == Array("a".utf8) && prefix.hard == position)
        #expect(!prefix.isAboveEntry && prefix.soft == .none)
    }

    /// An invalidation of a tag raises a floor, and the entry stays until it is met.
    @Test func whatHidesAnEntryIsNamed() throws {
        for strength in InvalidationRecord.Strength.allCases {
            var shard = ShardHarness()
            stored(&shard)
            _ = shard.invalidate(Scope(.namespace(.default)), strength: .soft)
            let position = shard.invalidate(.tag("t"), strength: strength)
            let found = try explain(&shard)
            #expect(found.verdict == (strength == .hard ? .invalidated : .soft))
            #expect(found.entry?.valueBytes == 3)
            let above = found.floors.filter(\.isAboveEntry)
            #expect(above.map(\.cover) == [.namespace, .tag])
            #expect((strength == .hard ? above[1].hard : above[1].soft) == position)
        }
    }

    @Test func aKeysMinimumVersionIsTold() throws {
        var shard = ShardHarness()
        var scope = Scope.key("a")
        scope.minimumVersion = Version(9)
        let position = shard.invalidate(scope)
        let floor = try #require(try explain(&shard).floors.first { $0.cover == .key })
        #expect(floor.minimumVersion == Version(9) && floor.hard == position)
    }

    @Test func timeAndTheLogsLossAreReasonsToo() throws {
        var shard = ShardHarness()
        stored(&shard, ttl: 1_000)
        shard.advance(by: .seconds(1))
        #expect(try explain(&shard).verdict == .expired)

        var plain = ShardHarness()
        var marked = ShardHarness()
        stored(&plain)
        plain.beginEpoch(2)
        #expect(try explain(&plain).verdict == .forgotten)
        stored(&marked, etag: "e1")
        marked.beginEpoch(2)
        let found = try explain(&marked)
        #expect(found.verdict == .withheld && found.entry?.fill == LogPosition.none)
        #expect(found.floors.first?.cover == .history && found.floors[0].isAboveEntry)
    }

    @Test func whatWasLoadedIsPastItsLifeBeforeItIsGone() throws {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.timeToLive = .seconds(10)
            origin.staleIfError = .seconds(60)
        }
        _ = shard.end(shard.ask("a"), .text("one"))
        _ = shard.end(shard.ask("b"), .none(for: .seconds(30)))
        #expect(try explain(&shard).verdict == .fresh)
        #expect(try explain(&shard, "b").verdict == .absent, "the origin said so")
        shard.advance(by: .seconds(11))
        let past = try explain(&shard)
        #expect(past.verdict == .expired && past.entry?.ttlMilliseconds == 0)
        shard.advance(by: .seconds(60))
        #expect(try explain(&shard).verdict == .expired)
    }

    @Test func withoutALeaseThePolicyDecides() throws {
        for (suspect, verdict) in [
            (NamespacePolicy.Suspect.serve, Explanation.Verdict.suspectServed),
            (.refuse, .suspectRefused), (.revalidate, .suspectHidden),
        ] {
            var shard = ShardHarness()
            var policy = NamespacePolicy()
            policy.suspect = suspect
            shard.core.configure([:], fallback: policy)
            stored(&shard)
            shard.makeLive(for: .zero)
            let found = try explain(&shard)
            #expect(found.verdict == verdict && found.state == .suspect)
            #expect(found.leaseLeftMilliseconds == 0)
        }
    }

    @Test func askingChangesNothing() throws {
        var shard = ShardHarness()
        stored(&shard)
        _ = shard.invalidate(.tag("t"))
        let before = shard.core.statistics
        let loads = shard.core.loads.statistics
        for _ in 0..<3 { #expect(try explain(&shard).verdict == .invalidated) }
        var after = shard.core.statistics
        after.messages = before.messages
        #expect(after == before && shard.core.loads.statistics == loads)
        #expect(shard.get("a").status == .miss)
        #expect(try explain(&shard).verdict == .absent, "a read takes it away")
    }
}
