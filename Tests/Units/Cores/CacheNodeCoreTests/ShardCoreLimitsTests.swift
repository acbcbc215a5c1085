import ByteCoding
import CacheModel
import CacheWire
import Testing
import TestSupport

@testable import CacheNodeCore

@Suite struct ShardCoreLimitsTests {
    private func error(_ replies: [ShardHarness.Reply]) -> ErrorCode? {
        guard case .error(let reply) = replies.first else { return nil }
        return reply.knownCode
    }

    @Test func aKeyOutsideItsBoundsIsRefusedAndTheOthersAreServed() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        let long = String(repeating: "k", count: 4_097)
        guard case .results(_, let outcomes) = shard.send(shard.getFrame(["", "a", long])).first
        else {
            Issue.record("a batch is answered with results")
            return
        }
        #expect(outcomes.map(\.refusal) == [.outOfRange, nil, .outOfRange])
        #expect(outcomes[1].status == .hit)
        #expect(outcomes[0].fields.message?.isEmpty == false)
    }

    @Test func theSixtyFifthTagIsRefused() {
        var shard = ShardHarness()
        let tags = (0..<65).map { Tag.named("t\($0)") }
        #expect(shard.set("a", "one", .init(tags: Array(tags.prefix(64)))).status == .stored)
        #expect(shard.set("a", "one", .init(tags: tags)).refusal == .outOfRange)
    }

    @Test func doubledTagsAreKeptOnceAndCountAmongThe64() {
        var shard = ShardHarness()
        let doubled = (0..<63).map { _ in Tag.named("a-tag-of-more-than-eight-bytes") }
        let near = doubled + [Tag.named("a-tag-of-more-than-eight-bytez")]
        #expect(shard.set("a", "one", .init(tags: near)).status == .stored)
        let last = doubled + [Tag.named("b"), Tag.named("c")]
        #expect(shard.set("a", "two", .init(tags: last)).refusal == .outOfRange)
        #expect(shard.get("a", .details).fields.tags.count == 2)
        #expect(shard.get("a").text == "one")
    }

    @Test func aValueOverTheNamespacesLimitIsRefused() {
        var shard = ShardHarness()
        var policy = NamespacePolicy()
        policy.valueBytesMax = 10
        shard.core.configure([:], fallback: policy)
        #expect(shard.set("a", "0123456789").status == .stored)
        #expect(shard.set("a", "01234567890").refusal == .tooLarge)
    }

    @Test(arguments: [0, 3, 5, 20] as [Int64])
    func aLifetimeIsLimitedToAHundredYearsAtAnyUptime(years: Int64) {
        var shard = ShardHarness()
        shard.advance(by: .seconds(years * 365 * 86_400))
        shard.makeLive()
        let longest: UInt64 = 36_500 * 86_400_000
        #expect(shard.set("a", "one", .init(timeToLive: longest)).status == .stored)
        for ttl in [longest + 1, 1 << 62, UInt64.max - 1] {
            let refused = [
                shard.set("a", "two", .init(timeToLive: ttl)),
                shard.only(shard.touchFrame("a", ttl: ttl)),
            ]
            #expect(refused.map(\.refusal) == [.outOfRange, .outOfRange])
            #expect(refused.allSatisfy { $0.fields.message?.contains("\(longest)") == true })
        }
        #expect(shard.get("a").ttl > longest - 10_000)
        #expect(shard.get("a").text == "one")
        #expect(shard.set("b", "one", .init(timeToLive: 20_000)).status == .stored)
        #expect((10_000...20_000).contains(shard.get("b").ttl))
    }

    @Test func jitterCutsTimesToLiveByDifferentPartsOfThemselves() throws {
        var shard = ShardHarness()
        var policy = NamespacePolicy()
        policy.timeToLive = .seconds(1_000)
        policy.timeToLiveJitter = try #require(Percent(20))
        shard.core.configure([:], fallback: policy)
        var lives: Set<UInt64> = []
        for key in 0..<100 {
            _ = shard.set("k\(key)", "one")
            lives.insert(shard.get("k\(key)").ttl / 1_000)
        }
        #expect(lives.allSatisfy { (799...1_000).contains($0) })
        #expect(lives.count > 60)
        #expect((lives.min() ?? 0) < 810 && (lives.max() ?? 0) > 990)
    }

    @Test func aNamespaceWithAQuotaNeverHasMoreThanItsMost() throws {
        var shard = ShardHarness(memoryBytes: 1 << 20)
        var policy = NamespacePolicy()
        policy.memory = MemoryQuota(most: try #require(Percent(10)), guaranteed: .none)
        shard.core.configure([.default: policy], fallback: NamespacePolicy())
        for key in 0..<2_000 {
            _ = shard.set("k\(key)", String(repeating: "v", count: 200))
        }
        let figures = shard.core.figures(now: shard.now)
        let used = try #require(figures.first { $0.name == "namespace_bytes:default" }?.value)
        let evicted = try #require(figures.first { $0.name == "namespace_evicted:default" }?.value)
        #expect(used <= 104_857 && used > 90_000)
        #expect(evicted > 1_000)
    }

    @Test func noReplyExceedsAFrameWhateverItsMissesCarry() throws {
        var shard = ShardHarness()
        let misses = (0..<400).map { "k\($0)" }
        var description = SetOperation.Description()
        description.etag = Validator(bytes: [UInt8](repeating: 101, count: 255))
        for key in misses { #expect(shard.set(key, "", description).status == .stored) }
        _ = shard.invalidate(Scope(.namespace(.default)), strength: .soft)
        for key in ["one", "two"] {
            #expect(shard.set(key, String(repeating: "v", count: 490_000)).status == .stored)
        }
        shard.replies.removeAll()
        shard.getFrame(["one", "two"] + misses, .token).withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: ShardHarness.peer, bytes: bytes)]
            _ = frames.withUnsafeBufferPointer {
                shard.core.turn(
                    $0, from: 0, now: shard.now, into: &shard.replies, effects: &shard.effects)
            }
        }
        #expect(try #require(shard.replies.entries.first).count <= WireLimits.frameBytesMax)
        guard case .results(_, let outcomes) = shard.takeReplies().first else {
            Issue.record("a batch is answered with results")
            return
        }
        #expect(outcomes.prefix(2).allSatisfy { $0.status == .hit })
        #expect(outcomes[2].status == .miss && outcomes[2].fields.etag != nil)
        #expect(outcomes.last?.status == .deferred)
    }

    @Test func aBatchOfNoneOrMoreThan1024KeysIsRefused() {
        var shard = ShardHarness()
        #expect(error(shard.send(shard.getFrame([]))) == .outOfRange)
        let keys = [String](repeating: "a", count: 1_025)
        #expect(error(shard.send(shard.getFrame(keys))) == .outOfRange)
        #expect(shard.get("a").status == .miss)
    }

    @Test func everyTruncatedPrefixIsRefusedAndChangesNothing() {
        var shard = ShardHarness()
        let whole = shard.setFrame("a", "one", .init(version: Version(1), tags: [.named("t")]))
        for length in 0..<whole.count {
            #expect(error(shard.send(Array(whole.prefix(length)))) != nil)
        }
        #expect(shard.get("a").status == .miss)
        #expect(shard.only(whole).status == .stored)
    }

    @Test func futureVersionsUnknownTypesAndOtherStreamsAreRefusedByName() {
        var shard = ShardHarness()
        var frame = shard.getFrame(["a"])
        frame[2] = 2
        #expect(error(shard.send(frame)) == .unsupportedVersion)
        frame[2] = 1
        frame[3] = 0x66
        #expect(error(shard.send(frame)) == .unknownType)
        frame[3] = MessageType.get.rawValue
        frame[16] = 1
        #expect(error(shard.send(frame)) == .wrongStream)
        frame[16] = 0
        frame[4] = 1
        #expect(error(shard.send(frame)) == .malformed)
    }

    @Test(arguments: UInt64(1)...40)
    func randomBytesNeverTrap(seed: UInt64) {
        var shard = ShardHarness()
        var dice = SeededGenerator(seed: seed)
        func next() -> UInt64 { dice.next() }
        let template = shard.setFrame(
            "abc", "value", .init(version: Version(3), tags: [.named("t")]))
        for _ in 0..<500 {
            var frame = template
            for _ in 0..<(next() % 6) {
                frame[Int(next() % UInt64(frame.count))] = UInt8(truncatingIfNeeded: next())
            }
            if next() % 4 == 0 { frame[3] = UInt8(next() % 0x40) }
            if next() % 8 == 0 { frame = Array(frame.prefix(Int(next() % 90))) }
            _ = shard.send(frame)
        }
        #expect(shard.set("after", "all").status == .stored)
    }

    @Test func aShardNumbersNoInvalidations() {
        var shard = ShardHarness()
        let frame = shard.frame(.invalidate, count: 0) { _ in }
        #expect(error(shard.send(frame)) == .unsupported)
    }
}
