import CacheClientCore
import CacheModel
import CacheWire
import MartletClient
import Testing
import TestSupport
import Threading

/// A node that is connected and says nothing any more, as one that is stopped.
@Suite struct SilentNodeTests {
    /// Longer than a silence takes on a machine that does much else, shorter than the timeout.
    private static let soon: Duration = .seconds(10)
    private static let timeout: Duration = .seconds(30)

    /// A cluster of two nodes, the first of which says nothing, and keys of each. Both were asked
    /// before.
    private func withSilentNode(
        _ kind: TopologyReport.Kind = .sharded,
        _ body: (CacheClient, ScriptedCluster, _ lost: [CacheKey], _ left: [CacheKey]) async throws
            -> Void
    ) async throws {
        let cluster = try ScriptedCluster(kind, nodes: 2)
        try await cluster.withClient {
            $0.timeout = Self.timeout
        } _: { client in
            let keys = (0..<200).map { Sample.key("k\($0)") }
            for result in await client.set(keys.map { StoreItem($0, $0.bytes) }) {
                _ = try result.get()
            }
            let lost = cluster.shards[0].store.withLock { Set($0.keys) }
            cluster.shards[0].script.withLock { $0.isMute = true }
            defer { cluster.shards[0].script.withLock { $0.isMute = false } }
            try await body(
                client, cluster, keys.filter { lost.contains($0.bytes) },
                keys.filter { !lost.contains($0.bytes) })
        }
    }

    /// How long it took, and how it failed.
    private func timed<Value>(
        _ body: () async throws(CacheError) -> Value
    ) async -> (error: CacheError?, took: Duration) {
        let start = ContinuousClock.now
        let error = await failure(of: body)
        return (error, ContinuousClock.now - start)
    }

    private func waitForSuspicion(_ client: CacheClient, _ key: CacheKey) async throws {
        let error = await failure { () throws(CacheError) in try await client.get(key) }
        try #require(error?.code == .disconnected, "\(error as Any)")
    }

    @Test func sixtyFourReadersWaitForOneSilenceAndNoneWaitsAfterIt() async throws {
        try await withSilentNode { client, _, lost, left in
            try #require(lost.count > 20 && left.count > 20)
            let first = await timed { () throws(CacheError) in try await client.get(lost[0]) }
            #expect(first.error?.code == .disconnected, "\(first)")
            #expect(first.error?.message.contains("does not answer") == true, "\(first)")
            #expect(first.took < Self.soon, "\(first)")
            let start = ContinuousClock.now
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let key = lost[number % lost.count]
                        let error = await failure { () throws(CacheError) in
                            try await client.get(key)
                        }
                        #expect(error?.code == .disconnected, "\(error as Any)")
                    }
                }
            }
            #expect(ContinuousClock.now - start < ClientLimits.silenceMax, "they fail at once")
            for key in left { #expect(try await client.get(key)?.bytes == key.bytes) }
        }
    }

    @Test func aNodeThatSpeaksAgainIsFoundInTheBackground() async throws {
        try await withSilentNode { client, cluster, lost, _ in
            try await waitForSuspicion(client, lost[0])
            let before = cluster.shards[0].operationCount(.get)
            _ = await failure { () throws(CacheError) in try await client.get(lost[1]) }
            #expect(cluster.shards[0].operationCount(.get) == before, "it is only probed")
            cluster.shards[0].script.withLock { $0.isMute = false }
            try await eventually("it is asked again") {
                try await client.get(lost[1])?.bytes == lost[1].bytes
            }
        }
    }

    @Test func onlyChangesThatWereSentMayHaveHappened() async throws {
        try await withSilentNode { client, cluster, lost, _ in
            let shard = cluster.shards[0]
            let before = shard.operationCount(.set)
            var short = StoreOptions()
            short.timeout = .seconds(4)
            let options = short
            async let sent = failure { () throws(CacheError) in
                try await client.set(lost[0], to: [1], options: options)
            }
            try await eventually("it was sent") { shard.operationCount(.set) == before + 1 }
            try await eventually("it is doubted") {
                shard.script.withLock { $0.seen.last?.type == .topology }
            }
            let kept = await timed { () throws(CacheError) in
                try await client.set(lost[1], to: [1])
            }
            #expect(kept.error?.code == .disconnected && kept.took < Self.soon, "\(kept)")
            #expect(kept.error?.mayHaveHappened == false)
            let late = await sent
            #expect(late?.code == .timedOut && late?.mayHaveHappened == true, "\(late as Any)")
            #expect(shard.operationCount(.set) == before + 1, "no other one was sent")
        }
    }

    /// The first chunk is sent before the silence is known.
    @Test func anUploadToASilentReplicaBeginsAnewAtAnother() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        try await cluster.withClient {
            $0.timeout = Self.timeout
            $0.near = Sample.node("n0")
        } _: { client in
            _ = try await client.set(Sample.key("k"), to: [1])
            let silent = cluster.shards[0]
            silent.script.withLock { $0.isMute = true }
            defer { silent.script.withLock { $0.isMute = false } }
            let value = [UInt8](repeating: 7, count: WireLimits.chunkBytesMax + 1)
            let start = ContinuousClock.now
            let stored = try await client.set(Sample.key("large"), to: value)
            #expect(ContinuousClock.now - start < Self.soon)
            #expect(stored.storedOn == [Sample.node("n1")])
            #expect(silent.operationCount(.chunk) == 1)
            #expect(cluster.shards[1].store.withLock { $0.has(Sample.bytes("large"), "default") })
        }
    }

    @Test func aLoadDoesNotWaitForASilentOwner() async throws {
        try await withSilentNode { client, _, lost, _ in
            try await waitForSuspicion(client, lost[0])
            let start = ContinuousClock.now
            let value = await client.load(lost[1]) { context in
                #expect(!context.willStore)
                return LoadedValue([7])
            }
            #expect(ContinuousClock.now - start < ClientLimits.silenceMax)
            #expect(value.bytes == [7] && value.notStored?.code == .disconnected)
        }
    }

    /// The scripted nodes have no origin: one that has the key plays one that has just loaded it.
    @Test func onlyAFreshlyLoadedValueIsAcceptedFromAnotherNode() async throws {
        try await withSilentNode { client, cluster, lost, _ in
            let other = cluster.shards[1]
            other.store.withLock { $0.put(lost[0].bytes, [9]) }
            #expect(try await client.get(lost[0])?.bytes == [9])
            let asked = other.script.withLock { $0.seen.last { $0.type == .get } }
            #expect(asked?.maxAgeMilliseconds == 1_000, "it holds for a second and no longer")
            // A miss says nothing of what the owner has.
            try await waitForSuspicion(client, lost[1])
            var options = ReadOptions()
            options.policy = .cacheOnly
            options.maxAge = .milliseconds(300)
            let cached = options
            let error = await failure { () throws(CacheError) in
                try await client.get(lost[0], options: cached)
            }
            #expect(error?.code == .disconnected, "nothing may be loaded")
            options.policy = nil
            #expect(try await client.get(lost[0], options: options)?.bytes == [9])
            let sooner = other.script.withLock { $0.seen.last { $0.type == .get } }
            #expect(sooner?.maxAgeMilliseconds == 300)
        }
    }

    @Test func anotherReplicaAnswersForASilentOne() async throws {
        try await withSilentNode(.replicated) { client, cluster, _, _ in
            let key = Sample.key("copied")
            for shard in cluster.shards { shard.store.withLock { $0.put(key.bytes, [3]) } }
            let start = ContinuousClock.now
            for _ in 0..<200 {
                let value = try await client.get(key)
                #expect(value?.bytes == [3])
            }
            #expect(ContinuousClock.now - start < Self.soon)
        }
    }

    @Test func questionsToASilentNodeFailSoon() async throws {
        try await withSilentNode { client, _, _, _ in
            let told = await timed { () throws(CacheError) in
                try await client.cluster.status(of: Sample.node("n0"))
            }
            #expect(told.error?.code == .disconnected && told.took < Self.soon, "\(told)")
            let other = try await client.cluster.status(of: Sample.node("n1"))
            #expect(other.count == 1)
        }
    }

    /// A shard that waits for a disk or an origin answers a probe all the same.
    @Test func aSlowRequestIsWaitedForWhileItsShardAnswersProbes() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.get(Sample.key("k"))
            cluster.shards[0].script.withLock { $0.silentCount = 1 }
            var options = StoreOptions()
            options.timeout = ClientLimits.silenceMax + .seconds(1)
            let slow = options
            async let sent = failure { () throws(CacheError) in
                try await client.set(Sample.key("k"), to: [1], options: slow)
            }
            try await eventually("it is probed") {
                cluster.shards[0].script.withLock { $0.count(.topology) >= 4 }
            }
            #expect(try await client.get(Sample.key("k")) == nil)
            #expect(await sent?.code == .timedOut)
        }
    }
}
