import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// COUNT says what scopes cover, from counters.
@Suite struct ShardCoreCountingTests {
    private func filled() -> ShardHarness {
        var shard = ShardHarness()
        for number in 0..<20 {
            let description = SetOperation.Description(
                timeToLive: SetOperation.ttlNever, tags: number < 5 ? [.named("few")] : [])
            var shape = RequestShape()
            if number == 19, let images = Namespace("images") { shape.namespace = images }
            let frame = shard.setFrame("k\(number)", "value", description, shape)
            #expect(shard.send(frame).count == 1)
        }
        return shard
    }

    private func ask(
        _ shard: inout ShardHarness, _ scopes: [Scope]
    ) -> ShardHarness.Reply? {
        let frame = shard.frame(.count, count: scopes.count) { writer in
            for scope in scopes { scope.encode(into: &writer) }
        }
        return shard.send(frame).first
    }

    private func count(_ shard: inout ShardHarness, _ scopes: Scope...) -> CountReply? {
        guard case .counted(let reply)? = ask(&shard, scopes) else { return nil }
        return reply
    }

    @Test func scopesAreCountedTogetherAndEachForItself() throws {
        var shard = filled()
        let images = Scope(.namespace(try #require(Namespace("images"))))
        #expect(count(&shard, Scope(.everything))?.entryCount == 20)
        #expect(count(&shard, images)?.entryCount == 1)
        #expect(count(&shard, .tag("few"))?.entryCount == 5)
        let both = try #require(count(&shard, .tag("few"), .key("k0"), .key("absent")))
        #expect(both.entryCount == 6 && !both.isAtMost && both.entryBytes > 6 * 48)
    }

    @Test func nothingIsCountedOfAnUnknownNamespaceAndAskingMakesNone() throws {
        var shard = ShardHarness()
        for number in 0..<(2 * ShardLimits.namespacesMax) {
            let namespace = try #require(Namespace("n\(number)"))
            #expect(count(&shard, Scope(.namespace(namespace)))?.entryCount == 0)
        }
        #expect(shard.set("a", "one").status == .stored)
    }

    @Test func whatTheScopeHidesAlreadyIsNotCounted() {
        var shard = filled()
        _ = shard.invalidate(.tag("few"))
        #expect(
            count(&shard, .tag("few"))
                == CountReply(
                    entryCount: 0, entryBytes: 0, isAtMost: false))
    }

    @Test func aRangeOfHashesIsAtMostTheWhole() {
        var shard = filled()
        var scope = Scope.tag("few")
        scope.hashRange = 0...5
        let reply = count(&shard, scope)
        #expect(reply?.entryCount == 5 && reply?.isAtMost == true)
    }

    @Test func aPrefixHasNoCounterAndTheRefusalSaysWhatToDo() throws {
        var shard = filled()
        guard case .error(let error)? = ask(&shard, [.tag("few"), .prefix("k")]) else {
            Issue.record("a prefix was counted")
            return
        }
        #expect(error.knownCode == .unsupported && error.message.contains("scan"))
    }
}
