import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct CacheClientStoringTests {
    @Test func anUnansweredStoreIsNotRetriedAndMayHaveHappened() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.silentCount = .max }
            var options = StoreOptions()
            options.timeout = .milliseconds(1_300)
            let error = await failure { () throws(CacheError) in
                try await client.set(Sample.key("a"), to: [1], options: options)
            }
            #expect(error?.code == .timedOut && error?.mayHaveHappened == true)
        }
        #expect(cluster.shards[0].script.withLock { $0.count(.set) } == 1)
    }

    @Test func storesOfOneMessageKeepTheirOwnDeadlines() async throws {
        var counts: [Int] = []
        // Who shares a message with whom is a matter of moments.
        for _ in 0..<20 where !counts.contains(2) { counts += try await storeWithTwoDeadlines() }
        #expect(counts.contains(2), "no two stores shared a message: \(counts)")
    }

    /// One store that has time beside one that has none, at a node that answers late.
    ///
    /// - Returns: how many stores each message had.
    private func storeWithTwoDeadlines() async throws -> [Int] {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.isHolding = true }
            async let patient = client.set(Sample.key("a"), to: [1])
            var hasty = StoreOptions()
            // Enough to learn whom to ask on a busy machine; that is not what runs out.
            hasty.timeout = .seconds(1)
            let error = await failure { () throws(CacheError) in
                try await client.set(Sample.key("b"), to: [2], options: hasty)
            }
            #expect(error?.code == .timedOut)
            cluster.shards[0].script.withLock { $0.isHolding = false }
            let stored = try await patient
            #expect(stored.node == Sample.node("n0"))
        }
        return cluster.shards[0].script.withLock { script in
            script.seen.filter { $0.type == .set }.map(\.count)
        }
    }

    @Test func aStoreThatFoundNoRoomIsSentAgain() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.busyCount = 3 }
            _ = try await client.set(Sample.key("a"), to: [1])
        }
        #expect(cluster.shards[0].script.withLock { $0.count(.set) } == 4)
    }

    @Test func aRefusalSaysWhy() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            var options = StoreOptions()
            options.version = Version(5)
            _ = try await client.set(Sample.key("a"), to: [1], options: options)
            let error = await failure { () throws(CacheError) in
                try await client.set(Sample.key("a"), to: [2], options: options)
            }
            #expect(error?.code == .refused && error?.refusal == .olderVersion)
            #expect(error?.message.contains("a newer version is stored") == true)
        }
    }

    @Test func whatBreaksALimitIsNotSent() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            var options = StoreOptions()
            options.tags = (0..<65).compactMap { Tag("t\($0)") }
            let tags = await failure { () throws(CacheError) in
                try await client.set(Sample.key("a"), to: [1], options: options)
            }
            #expect(tags?.code == .invalidArgument && tags?.message.contains("64 tags") == true)
            let value = await failure { () throws(CacheError) in
                try await client.set(
                    Sample.key("a"), to: [UInt8](repeating: 0, count: 64 << 20 + 1))
            }
            #expect(value?.code == .valueTooLarge)
            var ttl = StoreOptions()
            ttl.lifetime = .after(.microseconds(999))
            let lifetime = await failure { () throws(CacheError) in
                try await client.set(Sample.key("a"), to: [1], options: ttl)
            }
            #expect(lifetime?.code == .invalidArgument)
            // One bad item does not spoil the others.
            let results = await client.set([
                StoreItem(Sample.key("a"), [1], options: options), StoreItem(Sample.key("b"), [2]),
            ])
            #expect((try? results[0].get()) == nil && (try? results[1].get()) != nil)
        }
        #expect(cluster.shards[0].script.withLock { $0.count(.set) } == 1)
    }

    @Test func aReplicatedStoreReachesEveryNodeInTheOrderOfTheLog() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        try await cluster.withClient { client in
            let result = try await client.set(Sample.key("a"), to: [1])
            #expect(result.isFenced && result.position == LogPosition("1:1"))
            #expect(result.storedOn == ["n0", "n1", "n2"].map(Sample.node))
            for shard in cluster.shards {
                #expect(shard.store.withLock { $0.has(Sample.bytes("a"), "default") })
                let sets = shard.script.withLock { $0.seen.filter { $0.type == .set } }
                #expect(sets.count == 1)
                #expect(
                    sets[0].atLeast
                        == (result.node == Sample.node(shard.name) ? nil : result.position))
            }
            // The session's own store is visible to its own reads, wherever they go.
            _ = try await client.get(Sample.key("a"))
            let gets = cluster.shards.flatMap {
                $0.script.withLock { $0.seen.filter { $0.type == .get } }
            }
            #expect(gets.map(\.atLeast) == [result.position])
        }
    }

    /// With write-behind a node tells the origin and invalidates the key. It answers without a
    /// token, because there is nothing to copy.
    @Test func theNextReadRequestsThePositionOfAWriteBehindStore() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        try await cluster.withClient { client in
            for shard in cluster.shards { shard.script.withLock { $0.status = .stored } }
            let result = try await client.set(Sample.key("a"), to: [1])
            #expect(result.position == LogPosition("1:1") && result.storedOn.count == 1)
            for shard in cluster.shards { shard.script.withLock { $0.status = nil } }
            _ = try await client.get(Sample.key("a"))
            let gets = cluster.shards.flatMap {
                $0.script.withLock { $0.seen.filter { $0.type == .get } }
            }
            #expect(gets.map(\.atLeast) == [result.position])
        }
    }

    @Test func aReplicaThatIsDownIsLeftOutAndReadsGoElsewhere() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        let dead = try ScriptedCluster.deadEndpoint()
        cluster.state.withLock { $0.endpoints.append(dead) }
        try await cluster.withClient({ $0.near = Sample.node("n2") }) { client in
            let result = try await client.set(Sample.key("a"), to: [1])
            #expect(result.storedOn == ["n0", "n1"].map(Sample.node))
            #expect(try await client.get(Sample.key("a"))?.bytes == [1])
        }
    }

    @Test func theNearNodeIsAskedWhileItIsThere() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        try await cluster.withClient({ $0.near = Sample.node("n1") }) { client in
            for _ in 0..<20 { _ = try await client.get(Sample.key("a")) }
        }
        #expect(cluster.shards.map { $0.script.withLock { $0.count(.get) } } == [0, 20, 0])
    }

    static let boundarySizes = [
        0, 1, 524_287, 524_288, 524_289, 1_048_576, 1_048_577, 2_500_000,
    ]

    @Test(arguments: boundarySizes)
    func aValueOfAnySizeReachesEveryReplica(size: Int) async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        let value = [UInt8]((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await cluster.withClient { client in
            let result = try await client.set(Sample.key("a"), to: value)
            #expect(result.storedOn == ["n0", "n1", "n2"].map(Sample.node))
            for node in result.storedOn {
                var options = ReadOptions()
                options.node = node
                let found = try await client.get(Sample.key("a"), options: options)
                #expect(found?.bytes == value)
            }
        }
    }

    @Test(arguments: boundarySizes)
    func aValueOfAnySizeReachesItsOwner(size: Int) async throws {
        let cluster = try ScriptedCluster(.sharded, nodes: 3)
        let value = [UInt8](repeating: 7, count: size)
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: value)
            #expect(try await client.get(Sample.key("a"))?.bytes == value)
        }
    }

    @Test func longAndShortValuesOfOneCallAreAllStored() async throws {
        for kind in [TopologyReport.Kind.replicated, .sharded] {
            let cluster = try ScriptedCluster(kind, nodes: 3)
            try await cluster.withClient { client in
                let items = (0..<6).map { number in
                    StoreItem(
                        Sample.key("k\(number)"),
                        [UInt8](repeating: UInt8(number), count: number % 2 == 0 ? 3 : 600_000))
                }
                let results = await client.set(items)
                for (item, result) in zip(items, results) {
                    let stored = try result.get()
                    #expect(stored.storedOn.count == (kind == .replicated ? 3 : 1))
                    #expect(try await client.get(item.key)?.bytes == item.value)
                }
            }
        }
    }

    @Test func anUploadThatItsNodeHasLostIsSentAgain() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        for shard in cluster.shards { shard.script.withLock { $0.lostUploads = 2 } }
        try await cluster.withClient { client in
            let value = [UInt8](repeating: 7, count: 600_000)
            let result = try await client.set(Sample.key("a"), to: value)
            #expect(result.storedOn == ["n0", "n1"].map(Sample.node))
        }
    }

    @Test func aChunkThatIsNotAnsweredLeavesNothingInDoubt() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.get(Sample.key("a"))
            cluster.shards[0].script.withLock { $0.silentCount = .max }
            var options = StoreOptions()
            options.timeout = .milliseconds(300)
            let error = await failure { () throws(CacheError) in
                try await client.set(
                    Sample.key("a"), to: [UInt8](repeating: 7, count: 600_000), options: options)
            }
            #expect(error?.code == .timedOut && error?.mayHaveHappened == false)
        }
    }
}
