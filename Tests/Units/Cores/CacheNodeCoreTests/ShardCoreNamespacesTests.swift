import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Which requests take one of the few places in the table of namespaces.
@Suite struct ShardCoreNamespacesTests {
    private static func shape(_ name: String) throws -> RequestShape {
        var shape = RequestShape()
        shape.namespace = try #require(Namespace(name))
        return shape
    }

    private static func isBusy(_ replies: [ShardHarness.Reply]) -> Bool {
        guard case .error(let error)? = replies.first else { return false }
        return error.knownCode == .busy
    }

    private static func figure(_ name: String, of harness: borrowing ShardHarness) -> UInt64? {
        harness.core.report(now: harness.now).status.figures.first { $0.name == name }?.value
    }

    @Test func readsOfMadeUpNamesTakeNoPlace() throws {
        var harness = ShardHarness()
        for number in 0..<(2 * ShardLimits.namespacesMax) {
            let shape = try Self.shape("made-up-\(number)")
            #expect(harness.get("k", [], shape).status == .miss)
            var writer = ByteWriter()
            KeyQuestion(.explanation, of: try #require(CacheKey("k")), in: shape.namespace)
                .encode(requestID: 1, into: &writer)
            #expect(!Self.isBusy(harness.send(writer.array)))
            writer = ByteWriter()
            ScanRequest(
                cursor: 0, limit: 10, target: .namespace(shape.namespace), isCountOnly: false
            ).encode(requestID: 2, into: &writer)
            #expect(!Self.isBusy(harness.send(writer.array)))
        }
        #expect(Self.figure("namespaces", of: harness) == 1)
        let real = try Self.shape("real")
        #expect(harness.set("k", "v", .init(), real).status == .stored)
        #expect(harness.get("k", [], real).text == "v")
        #expect(Self.figure("namespaces", of: harness) == 2)
    }

    @Test func aReaderWithATokenMayStoreInANewNamespace() throws {
        var harness = ShardHarness()
        let shape = try Self.shape("real")
        var description = SetOperation.Description()
        description.token = harness.get("k", .token, shape).fields.token
        let hasToken = description.token != nil
        #expect(hasToken)
        #expect(harness.set("k", "v", description, shape).status == .stored)
    }

    @Test func aReadInANamespaceThatIsLoadedByDefaultIsLoaded() throws {
        var harness = ShardHarness()
        harness.core.configure([.default: NamespacePolicy()], fallback: ShardHarness.policy())
        let frame = harness.getFrame(["k"], [], try Self.shape("real"))
        #expect(harness.send(frame).isEmpty, "it waits for its load")
        let loads = harness.takeLoads()
        try #require(loads.count == 1)
        #expect(harness.end(loads[0], .text("v")).map(\.text) == ["v"])
        #expect(Self.figure("namespaces", of: harness) == 2)
    }

    @Test func storesBeyondTheTableAreRefusedAndCounted() throws {
        var harness = ShardHarness()
        for number in 1..<ShardLimits.namespacesMax {
            let stored = harness.set("k", "v", .init(), try Self.shape("real-\(number)"))
            #expect(stored.status == .stored)
        }
        #expect(Self.figure("refused_namespaces", of: harness) == 0)
        let frame = harness.setFrame("k", "v", .init(), try Self.shape("one-more"))
        #expect(Self.isBusy(harness.send(frame)))
        #expect(Self.figure("refused_namespaces", of: harness) == 1)
        // Reads cost nothing and are answered.
        #expect(harness.get("k", [], try Self.shape("one-more")).status == .miss)
        #expect(harness.get("k", [], try Self.shape("real-7")).text == "v")
    }

    @Test func anEntryOnDiskIsFoundInANewlyNamedNamespace() throws {
        let shape = try Self.shape("real")
        let node = DiskHarness()
        node.invalidate(.key("other"))
        node.checkpoint()
        _ = node.set("a", "one", .init(), shape)
        let next = DiskHarness(afterKillOf: node)
        next.join()
        #expect(next.ask(next.shard.getFrame(["b"], [], shape))?.status == .miss)
        #expect(next.ask(next.shard.getFrame(["a"], [], shape))?.text == "one")
    }

    @Test func anEntryOnDiskIsExplainedInANewlyNamedNamespace() throws {
        let shape = try Self.shape("real")
        let node = DiskHarness()
        node.invalidate(.key("other"))
        node.checkpoint()
        _ = node.set("a", "one", .init(), shape)
        let next = DiskHarness(afterKillOf: node)
        next.join()
        var writer = ByteWriter()
        KeyQuestion(.explanation, of: try #require(CacheKey("a")), in: shape.namespace)
            .encode(requestID: 1, into: &writer)
        var replies = next.send(writer.array)
        if replies.isEmpty {
            next.settle()
            replies = next.finishWaiting()
        }
        guard case .explanation(let explanation)? = replies.first else {
            Issue.record("it was not explained: \(replies)")
            return
        }
        #expect(explanation.entry != nil, "\(explanation.verdict)")
    }
}
