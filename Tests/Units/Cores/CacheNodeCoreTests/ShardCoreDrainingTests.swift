import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// A shard whose node leaves: nothing new, everything that is there, and the end of what was begun.
@Suite struct ShardCoreDrainingTests {
    private func order(_ shard: inout ShardHarness, _ name: String = "n1") throws -> [UInt8] {
        let node = try #require(NodeID(name))
        return ControlStage.frame { NodeOrder(.drain, node).encode(requestID: 9, into: &$0) }
    }

    private func drain(_ shard: inout ShardHarness) throws {
        let frame = try order(&shard)
        guard case .done(let done)? = shard.send(frame).first else {
            Issue.record("an order to leave is answered with DONE")
            return
        }
        #expect(done == Done(incarnation: Incarnation(77), runCount: 1))
    }

    /// How often the shard has said something to its node since it was last asked.
    private func said(_ shard: inout ShardHarness) -> (drain: Int, drained: Int) {
        defer { shard.effects = [] }
        shard.core.noteDrained(effects: &shard.effects)
        var counts = (drain: 0, drained: 0)
        for effect in shard.effects {
            if case .drain = effect { counts.drain += 1 }
            if case .drained = effect { counts.drained += 1 }
        }
        return counts
    }

    @Test func theOrderIsPassedOnAndMayBeRepeated() throws {
        var shard = ShardHarness()
        #expect(said(&shard) == (0, 0))
        try drain(&shard)
        #expect(said(&shard) == (1, 1))
        try drain(&shard)
        #expect(said(&shard) == (1, 0), "that it is done is said once")
    }

    @Test func anOrderForAnotherNodeIsRefused() throws {
        var shard = ShardHarness()
        guard case .error(let error)? = shard.send(try order(&shard, "n2")).first else {
            Issue.record("an order for another node is refused")
            return
        }
        #expect(error.knownCode == .notRegistered)
        #expect(said(&shard) == (0, 0))
        #expect(shard.set("a", "one").status == .stored)
    }

    @Test func nothingNewIsTakenAndWhatIsThereIsServedFresh() throws {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        let token = shard.token(for: "b")
        try drain(&shard)
        #expect(shard.get("a").status == .hit)
        #expect(shard.set("a", "two").refusal == .draining)
        #expect(shard.fill("b", "two", token).refusal == .draining)
        let missing = shard.get("c", .token)
        #expect(missing.status == .miss && missing.fields.token == nil)
        #expect(missing.fields.retryAfterMilliseconds == nil)
        #expect(StoreRefusal(rawValue: missing.detail) == .draining)
        let plain = shard.get("c")
        #expect(plain.status == .miss && plain.detail == 0)
        #expect(shard.only(shard.touchFrame("a", ttl: 1_000)).status == .touched)
        #expect(shard.get("a").text == "one")
    }

    @Test func aShardThatHearsItFromTheControlThreadDoesTheSame() {
        var shard = ShardHarness()
        var standing = shard.core.standing
        standing.state = .draining
        shard.core.setStanding(standing)
        #expect(shard.set("a", "one").refusal == .draining)
        #expect(said(&shard) == (0, 1))
    }

    @Test func withoutALeaseNothingIsCalledFreshWhileItLeaves() throws {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        try drain(&shard)
        var standing = shard.core.standing
        standing.state = .draining
        standing.leaseExpiresAt = shard.now
        shard.core.setStanding(standing)
        let found = shard.get("a")
        #expect(found.status == .stale && found.flags.contains(.suspect))
    }

    @Test func aStoreThatThePublisherOrdersIsFinished() throws {
        var shard = ShardHarness(isReplicated: true)
        #expect(shard.send(shard.setFrame("a", "one")).isEmpty)
        try drain(&shard)
        #expect(said(&shard) == (1, 0), "a store is under way")
        let position = shard.invalidate(.key("a"))
        shard.core.published(ticket: 1, at: position)
        guard case .results(_, let outcomes)? = shard.finishWaiting().first else {
            Issue.record("the store is answered")
            return
        }
        #expect(outcomes.map(\.status) == [.stored])
        #expect(said(&shard) == (0, 1))
        #expect(shard.set("b", "one").refusal == .draining, "the next one is not ordered")
    }

    @Test func aStrongReadIsFinished() throws {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        let shape = RequestShape(deadlineMilliseconds: 500, isFresh: true)
        #expect(shard.send(shard.getFrame(["a"], [], shape)).isEmpty)
        try drain(&shard)
        #expect(said(&shard).drained == 0)
        shard.core.headKnown(number: 1, head: shard.log.head.position)
        guard case .results(_, let outcomes)? = shard.finishWaiting().first else {
            Issue.record("the read is answered")
            return
        }
        #expect(outcomes.map(\.status) == [.hit])
        #expect(said(&shard).drained == 1)
    }

    @Test func anUploadThatHasBegunIsFinishedAndNoOtherBegins() throws {
        var shard = ShardHarness(memoryBytes: 256 << 20)
        #expect(shard.only(chunk(5, at: 0, &shard)).status == .received)
        try drain(&shard)
        #expect(said(&shard).drained == 0)
        #expect(shard.only(chunk(6, at: 0, &shard)).refusal == .draining)
        #expect(shard.only(chunk(5, at: 400, &shard)).status == .received)
        var description = SetOperation.Description()
        description.upload = SetOperation.Upload(id: 6, totalBytes: 800)
        #expect(shard.set("other", "", description).refusal == .draining)
        description.upload = SetOperation.Upload(id: 5, totalBytes: 800)
        #expect(shard.set("large", "", description).status == .stored)
        #expect(said(&shard).drained == 1)
    }

    /// Half of a value of 800 bytes.
    private func chunk(_ id: UInt64, at offset: Int, _ shard: inout ShardHarness) -> [UInt8] {
        shard.frame(.chunk, count: 1) { writer in
            [UInt8](repeating: 7, count: 400).withUnsafeBytes {
                ChunkOperation.append(
                    uploadID: id, totalBytes: 800, offset: offset, bytes: $0, to: &writer)
            }
        }
    }
}
