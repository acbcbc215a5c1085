import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Bounds by number, and namespaces that refuse what does not fit: every path that stores.
@Suite struct ShardCoreFullTests {
    private static func figure(_ shard: borrowing ShardHarness, _ name: String) -> UInt64? {
        shard.core.figures(now: shard.now).first { $0.name == name }?.value
    }

    private static func policy(
        entriesMax: Int, _ policy: NamespacePolicy = NamespacePolicy()
    ) throws -> NamespacePolicy {
        var policy = policy
        policy.memory = MemoryQuota(most: try #require(Percent(50)), guaranteed: .none)
        policy.memory.entriesMax = entriesMax
        policy.memory.whenFull = .refuse
        return policy
    }

    /// A shard with a default namespace that refuses, and has two entries of two.
    private static func fullShard(
        _ base: NamespacePolicy = NamespacePolicy()
    ) throws -> ShardHarness {
        var shard = ShardHarness()
        shard.core.configure([.default: try policy(entriesMax: 2)], fallback: NamespacePolicy())
        for key in ["p1", "p2"] { #expect(shard.set(key, "one").status == .stored) }
        shard.core.configure(
            [.default: try policy(entriesMax: 2, base)], fallback: NamespacePolicy())
        return shard
    }

    // MARK: Numbers

    @Test func aShardNeverHasMoreEntriesThanItsPart() throws {
        var shard = ShardHarness { $0.entriesMax = 30 }
        for key in 0..<200 { #expect(shard.set("k\(key)", "one").status == .stored) }
        let figures = ["entries", "entries_max", "removed_evicted"].map {
            Self.figure(shard, $0)
        }
        #expect(figures == [30, 30, 170])
        #expect(shard.get("k199").status == .hit)
    }

    @Test func whereNoNumberIsSetNoneIsTold() {
        let shard = ShardHarness()
        let name = Self.figure(shard, "entries_max")
        #expect(name == nil)
    }

    @Test func aNamespacesNumberIsDividedByTheShards() throws {
        var shard = ShardHarness { $0.shardCount = 4 }
        var policy = NamespacePolicy()
        policy.memory.entriesMax = 42
        shard.core.configure([.default: policy], fallback: NamespacePolicy())
        let images = RequestShape(namespace: try #require(Namespace("images")))
        for key in 0..<100 {
            #expect(shard.set("k\(key)", "one").status == .stored)
            #expect(shard.set("k\(key)", "one", .init(), images).status == .stored)
        }
        let names = ["namespace_entries:default", "namespace_entries_max:default", "entries"]
        let figures = names.map { Self.figure(shard, $0) }
        #expect(figures == [10, 10, 110])
        policy.memory.entriesMax = 8
        shard.core.configure([.default: policy], fallback: NamespacePolicy())
        shard.core.tick(now: shard.now)
        #expect(Self.figure(shard, "namespace_entries:default") == 2)
        shard.core.configure([:], fallback: NamespacePolicy())
        #expect(shard.set("more", "one").status == .stored)
        #expect(Self.figure(shard, "namespace_entries:default") == 3)
    }

    // MARK: Stores

    @Test func aStoreThatDoesNotFitIsRefusedWithAHint() throws {
        var shard = try Self.fullShard()
        let refused = shard.set("new", "one")
        #expect(refused.refusal == .full)
        #expect(refused.fields.message?.contains("entries-max") == true)
        #expect(shard.set("p1", "a longer one").status == .stored)
        #expect(Self.figure(shard, "refused_full") == 1)
        #expect(["p1", "p2", "new"].map { shard.get($0).status } == [.hit, .hit, .miss])
        _ = shard.invalidate(.key("p2"))
        #expect(shard.set("new", "one").status == .stored)
    }

    @Test func aRefusedStoreStillEndsItsLoadLease() throws {
        var shard = try Self.fullShard()
        var description = SetOperation.Description()
        description.token = shard.token(for: "new")
        #expect(description.token != nil)
        #expect(shard.set("new", "one", description).refusal == .full)
        let next = shard.get("new", .token, RequestShape())
        #expect(next.fields.token != nil, "the next caller need not wait")
    }

    @Test func whatIsOrderedByTheLogLeavesNothingOldBehind() throws {
        var shard = ShardHarness(isReplicated: true)
        shard.core.configure(
            [.default: try Self.policy(entriesMax: 1)], fallback: NamespacePolicy())
        func store(_ key: String, _ value: String, _ shard: inout ShardHarness)
            -> ShardHarness.Outcome
        {
            var description = SetOperation.Description()
            description.token = FillToken(
                position: shard.invalidate(.key(key)), incarnation: .none, nonce: 0)
            return shard.set(key, value, description)
        }
        #expect(store("p1", "one", &shard).status == .stored)
        #expect(store("p1", "two", &shard).status == .stored)
        #expect(store("p2", "two", &shard).refusal == .full)
        #expect(shard.get("p2").status == .miss && shard.get("p1").text == "two")
    }

    // MARK: Loads

    @Test func whatIsLoadedIsServedAndNotKept() throws {
        var shard = try Self.fullShard(ShardHarness.policy())
        for _ in 0..<2 {
            let load = shard.ask("new")
            #expect(load != nil, "it was not kept")
            let other = shard.ask("new")
            #expect(other == nil, "both share the load")
            let answers = shard.end(load, .text("loaded"))
            #expect(answers.map(\.status) == [.hit, .hit])
            #expect(answers.allSatisfy { $0.text == "loaded" && $0.flags == [] })
        }
        #expect(Self.figure(shard, "refused_full") == 2)
        #expect(Self.figure(shard, "entries") == 2)
        let load = shard.ask("none")
        let absent = shard.end(load, .none())
        #expect(absent.map(\.status) == [.miss] && absent[0].flags.contains(.negative))
    }

    @Test func aRefreshThatIsLongerIsServedOnce() throws {
        var shard = ShardHarness(memoryBytes: 1 << 20)
        var policy = try Self.policy(entriesMax: 100, ShardHarness.policy())
        policy.memory.most = try #require(Percent(3))
        shard.core.configure([.default: policy], fallback: NamespacePolicy())
        let long = String(repeating: "v", count: 900)
        for key in 0..<60 { _ = shard.end(shard.ask("k\(key)"), .text(long)) }
        let before = Self.figure(shard, "refused_full") ?? 0
        let answers = shard.end(shard.askAnew("k1"), .text(long + long + long.prefix(600)))
        #expect(answers.map(\.status) == [.hit] && answers.first?.value.count == 2_400)
        #expect(Self.figure(shard, "refused_full") == before + 1)
        #expect(shard.get("k1").text == long, "as with a value that is too large")
    }

    @Test func aLargeLoadedValueThatIsNotKeptFailsItsReaders() throws {
        var shard = try Self.fullShard(
            ShardHarness.policy { policy, _ in policy.valueBytesMax = 16 << 20 })
        let answers = shard.end(
            shard.ask("new"), .value([UInt8](repeating: 7, count: 2 << 20), LoadedFacts()))
        #expect(answers.map(\.status) == [.failed])
        #expect(answers.first?.detail == LoadFailure.notKept.rawValue)
    }

    @Test func aFullShardWritesToTheOriginAndLoadsLater() throws {
        var shard = try Self.fullShard(
            ShardHarness.policy { _, origin in origin.writesBehind = true })
        #expect(shard.send(shard.setFrame("new", "one")).isEmpty)
        let order = try #require(shard.takeWrites().first)
        _ = shard.invalidate(.key("new"))
        let answers = shard.end(order, .taken(shard.core.applied.position))
        #expect(answers.map(\.status) == [.stored])
        #expect(shard.end(shard.ask("new"), .text("one")).map(\.text) == ["one"])
        #expect(Self.figure(shard, "entries") == 2)
    }

    @Test func copiesOfAReplicaArePassedOverForThisNamespaceAlone() throws {
        let stage = FillStage("n2")
        let images = try #require(Namespace("images"))
        for number in 0..<20 {
            _ = stage.there.shard.fill(
                "k\(number)", "v", stage.there.shard.token(for: "k\(number)"))
            var description = SetOperation.Description()
            let shape = RequestShape(namespace: images)
            description.token = stage.there.shard.get("k\(number)", .token, shape).fields.token
            _ = stage.there.shard.set("k\(number)", "v", description, shape)
        }
        stage.restart()
        let policy = try Self.policy(entriesMax: 5)
        stage.here.core.configure([.default: policy], fallback: NamespacePolicy())
        stage.begin()
        stage.run()
        #expect(stage.progress.phase == .done)
        #expect(Self.figure(stage.here, "namespace_entries:default") == 5)
        #expect(Self.figure(stage.here, "entries") == 25)
    }

    // MARK: The disk

    /// A node with two entries more on disk than its namespace may have in memory.
    private static func nodeWithDisk(
        _ change: (inout NamespacePolicy) -> Void = { _ in }
    ) throws -> DiskHarness {
        let node = DiskHarness()
        for key in ["d1", "d2"] {
            var description = SetOperation.Description()
            description.version = Version(7)
            #expect(node.set(key, "on disk", description) == .stored)
        }
        node.settle()
        node.evictAll()
        for key in ["p1", "p2"] { #expect(node.set(key, "one") == .stored) }
        node.settle()
        var policy = try policy(entriesMax: 2)
        change(&policy)
        node.shard.core.configure([.default: policy], fallback: NamespacePolicy())
        #expect(node.figure("entries") == 2)
        return node
    }

    /// What is answered once the disk has done whatever that needs.
    private static func replies(
        to frame: [UInt8], of node: DiskHarness
    ) -> [ShardHarness.Reply] {
        let atOnce = node.send(frame)
        guard atOnce.isEmpty else { return atOnce }
        node.settle()
        return node.finishWaiting()
    }

    @Test func aValueOnDiskIsServedAndNotKeptInMemory() throws {
        let node = try Self.nodeWithDisk()
        for _ in 0..<3 {
            for key in ["d1", "d2"] {
                let found = try #require(node.get(key))
                #expect(found.status == .hit && found.text == "on disk")
                #expect(found.detail == Tier.disk.rawValue && found.fields.version == Version(7))
                #expect(node.figure("entries") == 2)
            }
        }
        #expect(node.figure("removed_evicted") == 2, "those of the beginning")
        #expect(node.getAtOnce("p1").status == .hit && node.getAtOnce("p2").status == .hit)
        let replies = Self.replies(to: node.getFrame(["d1", "p1", "d2", "never"]), of: node)
        guard case .results(_, let outcomes) = replies.first else {
            Issue.record("a batch is answered with results")
            return
        }
        #expect(outcomes.map(\.text) == ["on disk", "one", "on disk", ""])
    }

    @Test func aStoreKnowsTheVersionOnDisk() throws {
        let node = try Self.nodeWithDisk()
        func stored(_ version: UInt64) throws -> ShardHarness.Outcome {
            var description = SetOperation.Description()
            description.version = Version(version)
            return try #require(node.ask(node.shard.setFrame("d1", "new", description)))
        }
        #expect(try stored(6).refusal == .olderVersion)
        #expect(try stored(8).refusal == .full)
        #expect(node.get("d1")?.text == "on disk")
        node.invalidate(.key("p1"))
        #expect(try stored(8).status == .stored)
        #expect(node.get("d1")?.text == "new" && node.figure("entries") == 2)
    }

    @Test func aTouchReachesTheDisk() throws {
        let node = try Self.nodeWithDisk()
        #expect(node.ask(node.shard.touchFrame("d1", ttl: 60_000))?.status == .touched)
        node.settle()
        let found = try #require(node.get("d1"))
        #expect(found.text == "on disk" && (59_000...60_000).contains(found.ttl))
        #expect(node.figure("entries") == 2)
    }

    /// The disk takes nothing more of the namespace: it is the only one that has the value.
    @Test func aTouchThatTheDiskCannotTakeLosesNothing() throws {
        let node = try Self.nodeWithDisk { $0.diskMost = .none }
        for _ in 0..<2 {
            let touched = try #require(node.ask(node.shard.touchFrame("d1", ttl: 60_000)))
            #expect(touched.refusal == .absent)
            node.settle()
            let found = try #require(node.get("d1"))
            #expect(found.status == .hit && found.text == "on disk")
        }
        #expect(node.figure("entries") == 2)
    }

    @Test func aTouchThatEndsAValueOnDiskRemovesIt() throws {
        let node = try Self.nodeWithDisk { $0.timeToLiveMax = .zero }
        #expect(node.ask(node.shard.touchFrame("d1", ttl: 60_000))?.status == .touched)
        node.settle()
        #expect(node.get("d1")?.status == .miss)
    }

    /// With an ETag, an answer of the origin may be that it still holds.
    private static func askForValueOnDisk(_ node: DiskHarness) throws -> ShardLoad {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: 9_999, into: &writer)
        message.field(ReadPolicy.networkOnly, into: &writer)
        Array("d1".utf8).withUnsafeBytes {
            GetOperation.append(key: $0, options: [], to: &writer)
        }
        message.finish(&writer, count: 1)
        _ = node.send(writer.array)
        node.settle()
        _ = node.finishWaiting()
        return try #require(node.shard.takeLoads().first)
    }

    @Test func anUncacheableRevalidationRemovesTheValueFromDisk() throws {
        let node = try Self.nodeWithDisk {
            let (memory, policy) = ($0.memory, ShardHarness.policy())
            $0 = policy
            $0.memory = memory
        }
        let load = try Self.askForValueOnDisk(node)
        let before = node.figure("disk_entries")
        var facts = LoadedFacts()
        facts.mayStore = false
        _ = node.shard.end(load, .unchanged(facts))
        node.settle()
        #expect(node.figure("disk_entries") == before - 1)
    }

    @Test func anExplanationLeavesNothingBehind() throws {
        let node = try Self.nodeWithDisk()
        let frame = node.shard.frame(.explain, count: 0) { writer in
            writer.append(UInt16(2))
            for byte in "d1".utf8 { writer.append(byte) }
        }
        guard case .explanation(let found)? = Self.replies(to: frame, of: node).first else {
            Issue.record("it was not explained")
            return
        }
        #expect(found.entry?.version == Version(7))
        #expect(node.figure("entries") == 2)
    }

    /// The first answer names the value, and the parts ask for that one.
    @Test func aLongValueOnDiskIsReadInParts() throws {
        let long = String(repeating: "abcdefgh", count: 100_000)
        let node = DiskHarness()
        node.shard.core.configure([.default: ShardHarness.policy()], fallback: NamespacePolicy())
        _ = node.shard.end(node.shard.ask("d1"), .text(long))
        node.settle()
        node.evictAll()
        node.shard.core.configure(
            [.default: try Self.policy(entriesMax: 1)], fallback: NamespacePolicy())
        #expect(node.set("p1", "one") == .stored)
        let first = try #require(node.get("d1"))
        let whole = try #require(first.fields.whole)
        #expect(first.status == .hit && whole.totalBytes == long.utf8.count)
        let part = GetOperation.Part(
            identity: whole.identity, offset: UInt32(first.value.count),
            length: UInt32(long.utf8.count - first.value.count))
        let frame = node.shard.frame(.get, count: 1) { writer in
            Array("d1".utf8).withUnsafeBytes {
                GetOperation.append(key: $0, options: [], part: part, to: &writer)
            }
        }
        let second = try #require(node.ask(frame))
        #expect(second.status == .hit && first.text + second.text == long)
        #expect(node.figure("entries") == 1)
    }

    @Test func storesGoToDiskAndTheirEntriesStayInMemory() throws {
        let node = DiskHarness()
        node.shard.core.configure(
            [.default: try Self.policy(entriesMax: 3)], fallback: NamespacePolicy())
        for key in ["p1", "p2", "p3"] { #expect(node.set(key, "one") == .stored) }
        node.settle()
        #expect(node.figure("disk_entries") == 3 && node.figure("entries") == 3)
        node.evictAll()
        #expect(node.figure("entries") == 3 && node.getAtOnce("p1").status == .hit)
    }
}
