import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct CacheClientTests {
    @Test func aConfigurationThatCannotWorkIsRefusedWithASentence() throws {
        var noTime = CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:7400"])
        noTime.timeout = .zero
        var dizzy = CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:7400"])
        dizzy.spin = .milliseconds(11)
        var backwards = dizzy
        backwards.spin = .nanoseconds(-1)
        for configuration in [
            CacheClientConfiguration(endpoints: []),
            CacheClientConfiguration(endpoints: ["127.0.0.1:7400"]),
            CacheClientConfiguration(endpoints: ["tcp://*:7400"]), noTime, dizzy, backwards,
        ] {
            let error = #expect(throws: CacheError.self) { try CacheClient(configuration) }
            #expect(error?.code == .invalidArgument && error?.message.isEmpty == false)
        }
    }

    @Test func theTopologyIsFoundThroughAnyEndpointThatAnswers() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        let dead = try ScriptedCluster.deadEndpoint()
        let seeds = [dead, cluster.shards[1].endpoint]
        try await cluster.withClient({ $0.endpoints = seeds }) { client in
            let topology = try await client.cluster.topology()
            #expect(topology.nodes.map(\.id) == ["n0", "n1"].map(Sample.node))
            #expect(topology.kind == .sharded && topology.nodes[0].weight == 1)
            #expect(topology.controlEndpoint == cluster.publisher.endpoint)
        }
        #expect(cluster.shards[1].script.withLock { $0.count(.topology) } == 1)
    }

    @Test func anUnreachableClusterFailsByTheDeadline() async throws {
        let dead = try ScriptedCluster.deadEndpoint()
        let client = try CacheClient(CacheClientConfiguration(endpoints: [dead]))
        var options = ReadOptions()
        options.timeout = .milliseconds(100)
        let error = await failure { () throws(CacheError) in
            try await client.get(Sample.key("a"), options: options)
        }
        #expect(error?.code == .disconnected && error?.message.contains(dead) == true)
        await client.close()
    }

    @Test func anOwnerThatIsDownIsNotReplacedByAnother() async throws {
        let cluster = try ScriptedCluster()
        let dead = try ScriptedCluster.deadEndpoint()
        cluster.state.withLock { $0.endpoints = [dead] }
        try await cluster.withClient { client in
            let first = await failure { () throws(CacheError) in
                try await client.get(Sample.key("a"))
            }
            #expect(first?.code == .disconnected)
            // It is known to be down now, so the next one does not wait.
            let clock = ContinuousClock()
            let began = clock.now
            let second = await failure { () throws(CacheError) in
                try await client.set(Sample.key("a"), to: [1])
            }
            #expect(second?.code == .disconnected && second?.mayHaveHappened == false)
            #expect(clock.now - began < .milliseconds(500))
            var options = ReadOptions()
            options.treatsUnreachableAsMiss = true
            let value = try await client.get(Sample.key("a"), options: options)
            #expect(value == nil)
        }
    }

    @Test func anotherTopologyVersionIsAskedForAndObeyed() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        let both = cluster.state.withLock { $0.endpoints }
        cluster.state.withLock { $0.endpoints = [both[0]] }
        try await cluster.withClient { client in
            let keys = (0..<40).map { Sample.key("k\($0)") }
            _ = try await client.get(keys)
            #expect(cluster.shards[1].script.withLock { $0.count(.get) } == 0)
            cluster.state.withLock {
                $0.endpoints = both
                $0.version = 2
            }
            // The next answer tells of the other version; soon after, both nodes are asked.
            let clock = ContinuousClock()
            let end = clock.now + .seconds(10)
            while try await client.cluster.topology().version != 2, clock.now < end {
                _ = try await client.get(keys)
            }
            _ = try await client.get(keys)
            #expect(cluster.shards[1].script.withLock { $0.count(.get) } > 0)
            let last = cluster.shards[0].script.withLock { $0.seen.last { $0.type == .get } }
            #expect(last?.topologyVersion == 2)
        }
    }

    @Test func readsGoOnWithoutAPublisher() async throws {
        let cluster = try ScriptedCluster()
        let dead = try ScriptedCluster.deadEndpoint()
        cluster.state.withLock { $0.control = dead }
        let seeds = [cluster.shards[0].endpoint]
        try await cluster.withClient({ $0.endpoints = seeds }) { client in
            _ = try await client.set(Sample.key("a"), to: [1])
            #expect(try await client.get(Sample.key("a"))?.bytes == [1])
            let error = await failure { () throws(CacheError) in
                try await client.invalidate([Scope(.everything)], timeout: .seconds(3))
            }
            #expect(error?.code == .disconnected && error?.message.contains("publisher") == true)
            #expect(try await client.get(Sample.key("a"))?.bytes == [1])
        }
    }

    @Test func closingFailsWhatIsOpenAndWhatComesLater() async throws {
        let cluster = try ScriptedCluster()
        let client = try CacheClient(
            CacheClientConfiguration(endpoints: [cluster.publisher.endpoint]))
        cluster.shards[0].script.withLock { $0.silentCount = .max }
        async let open = failure { () throws(CacheError) in
            try await client.get(Sample.key("a"))
        }
        while cluster.shards[0].script.withLock({ $0.count(.get) }) == 0 { await Task.yield() }
        await client.close()
        #expect(await open?.code == .closed)
        let later = await failure { () throws(CacheError) in
            try await client.invalidate([Scope(.everything)])
        }
        #expect(later?.code == .closed)
        await client.close()
    }

    @Test func aCancelledTaskIsNotKeptWaiting() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.silentCount = .max }
            let task = Task {
                await failure { () throws(CacheError) in
                    try await client.set(Sample.key("a"), to: [1])
                }
            }
            while cluster.shards[0].script.withLock({ $0.count(.set) }) == 0 { await Task.yield() }
            task.cancel()
            let error = await task.value
            #expect(error?.code == .cancelled && error?.mayHaveHappened == true)
        }
    }

    @Test func aNodeThatIsNotThereIsNamedInTheRefusal() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            var options = ReadOptions()
            options.node = Sample.node("n9")
            let error = await failure { () throws(CacheError) in
                try await client.get(Sample.key("a"), options: options)
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message == "the cluster has no node n9; it has n0, n1")
            options.node = Sample.node("n1")
            _ = try await client.get(Sample.key("a"), options: options)
            #expect(cluster.shards[1].script.withLock { $0.count(.get) } == 1)
        }
    }

    @Test func statusScanAndCountLookAtEveryShard() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            let keys = (0..<9).map { Sample.key("k\($0)") }
            for result in await client.set(keys.map { StoreItem($0, [1]) }) { _ = try result.get() }
            let status = try await client.cluster.status(of: Sample.node("n1"))
            #expect(status.map(\.name) == ["n1"] && status[0].figures["entries"] == 3)
            #expect(try await client.cluster.publisherStatus().role == .publisher)
            var found: [CacheKey] = []
            for try await entry in client.cluster.scan(.namespace(.default)) {
                found.append(entry.key)
            }
            #expect(Set(found) == Set(keys) && found.count == keys.count)
            let counts = try await client.cluster.count([Scope(.namespace(.default))])
            #expect(counts.map(\.node) == ["n0", "n1"].map(Sample.node))
            let (entryCounts, entryBytes) = (counts.map(\.entryCount), counts.map(\.entryBytes))
            #expect(entryCounts.reduce(0, +) == 9)
            #expect(entryBytes.reduce(0, +) == 90)
            #expect(counts.allSatisfy { !$0.isExact })
            let error = await failure { () throws(CacheError) in
                try await client.cluster.servedConfiguration()
            }
            #expect(error?.code == .refused)
        }
    }

    @Test func aCountIsOneRequestPerShardWithAScanFallback() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        cluster.shards[1].script.withLock { $0.isOlder = true }
        try await cluster.withClient { client in
            let keys = (0..<9).map { Sample.key("k\($0)") }
            for result in await client.set(keys.map { StoreItem($0, [1]) }) { _ = try result.get() }
            let scopes = [Scope(.namespace(.default)), Scope(.everything)]
            let counts = try await client.cluster.count(scopes)
            let entryCounts = counts.map(\.entryCount)
            #expect(entryCounts.reduce(0, +) == 18)
            #expect(counts.map(\.isExact) == [false, true])
            let (new, old) = (cluster.shards[0].script, cluster.shards[1].script)
            #expect(new.withLock { $0.count(.count) } == 1)
            #expect(new.withLock { $0.count(.scan) } == 0)
            #expect(old.withLock { $0.count(.count) } == 1)
            #expect(old.withLock { $0.count(.scan) } >= 2)
            let prefixed = try await client.cluster.count([
                Scope(.prefix(Array("k".utf8), in: .default))
            ])
            let prefixedCounts = prefixed.map(\.entryCount)
            #expect(prefixedCounts.reduce(0, +) == 9)
            #expect(new.withLock { $0.count(.count) } == 1)
        }
    }

    @Test func manyTasksAtOnceShareMessages() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.cluster.topology()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<2_000 {
                    group.addTask {
                        let error = await failure { () throws(CacheError) in
                            try await client.get(Sample.key("k\(number)"))
                        }
                        #expect(error == nil)
                    }
                }
            }
        }
        let gets = cluster.shards[0].script.withLock { $0.seen.filter { $0.type == .get } }
        #expect(gets.map(\.count).reduce(0, +) == 2_000)
        #expect(gets.count < 1_500)
    }
}
