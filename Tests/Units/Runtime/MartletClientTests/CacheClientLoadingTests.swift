import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct CacheClientLoadingTests {
    private struct OriginIsDown: Error, Equatable {}

    @Test func aMissIsLoadedOnceAndStoredUnderItsToken() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            var calls = 0
            for round in 0..<3 {
                let value = await client.load(Sample.key("a")) { context in
                    calls += 1
                    #expect(context.willStore)
                    return LoadedValue([1, 2, 3])
                }
                #expect(value.bytes == [1, 2, 3] && value.notStored == nil && value.isFenced)
                #expect(value.tier == (round == 0 ? .origin : .memory))
            }
            #expect(calls == 1)
        }
    }

    @Test func manyCallersShareOneLoad() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let calls = Counter()
            await withTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        await client.load(Sample.key("hot")) { _ in
                            calls.increment()
                            // Until every caller has asked at least once.
                            while cluster.shards[0].operationCount(.get) < 40 { await Task.yield() }
                            return LoadedValue([9])
                        }.bytes
                    }
                }
                for await bytes in group { #expect(bytes == [9]) }
            }
            #expect(calls.value == 1)
        }
    }

    @Test func aRefusedFillIsReturnedAndNotStored() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.refusesFills = .invalidatedMeanwhile }
            let value = await client.load(Sample.key("a")) { _ in LoadedValue([4]) }
            #expect(value.bytes == [4] && value.tier == .origin && !value.isFenced)
            #expect(value.notStored?.refusal == .invalidatedMeanwhile && value.isOvertaken)
            #expect(cluster.holder(of: Sample.key("a")) == nil)
        }
    }

    @Test func aNodeThatLeavesGivesNoRightToFillAndSaysWhy() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock {
                $0.status = .miss
                $0.detail = StoreRefusal.draining.rawValue
            }
            let value = await client.load(Sample.key("a")) { context in
                #expect(!context.willStore)
                return LoadedValue([4])
            }
            #expect(value.bytes == [4] && value.notStored?.code == .refused)
            #expect(value.notStored?.refusal == .draining)
            #expect(cluster.shards[0].operationCount(.set) == 0, "nothing is sent to be refused")
        }
    }

    @Test func anInvalidationDuringALoadVoidsIt() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let value = try await client.load(Sample.key("a")) { _ in
                _ = try await client.invalidate([Scope(.key(Sample.key("a"), in: .default))])
                return LoadedValue([4])
            }
            #expect(value.bytes == [4] && value.notStored?.refusal == .leaseVoid)
            #expect(try await client.get(Sample.key("a")) == nil)
        }
    }

    @Test func whatTheOriginThrowsIsThrown() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            do throws(OriginIsDown) {
                _ = try await client.load(Sample.key("a")) { _ throws(OriginIsDown) in
                    throw OriginIsDown()
                }
                Issue.record("the origin's error was swallowed")
            } catch {
                #expect(error == OriginIsDown())
            }
        }
    }

    /// What another load of the key is told: whether it holds the lease.
    private func isLeaseFree(_ client: CacheClient) async -> Bool {
        var options = LoadOptions()
        options.read.timeout = .milliseconds(800)
        var willStore = false
        _ = await client.load(Sample.key("a"), options: options) { context in
            willStore = context.willStore
            return LoadedValue([7])
        }
        return willStore
    }

    @Test func aLoadReturnsItsLeaseWhenTheOriginThrows() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            var hasThrown = false
            do throws(OriginIsDown) {
                _ = try await client.load(Sample.key("a")) { _ throws(OriginIsDown) in
                    throw OriginIsDown()
                }
            } catch {
                hasThrown = true
            }
            #expect(hasThrown)
            #expect(await isLeaseFree(client))
        }
    }

    @Test func aLoadThatIsCancelledGivesItsLeaseBack() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let load = Task {
                try await client.load(Sample.key("a")) { _ in
                    // Ends by being cancelled.
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    throw CancellationError()
                }
            }
            while cluster.shards[0].operationCount(.get) == 0 { await Task.yield() }
            load.cancel()
            _ = await load.result
            #expect(await isLeaseFree(client))
        }
    }

    @Test func aValueThatCannotBeStoredGivesItsLeaseBack() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let value = await client.load(Sample.key("a")) { _ in
                var options = StoreOptions()
                options.lifetime = .after(.zero)
                return LoadedValue([1], options: options)
            }
            #expect(value.notStored?.code == .invalidArgument)
            #expect(await isLeaseFree(client))
        }
    }

    /// A chunk names no token: the node that refuses it has ended no lease.
    @Test func aRefusedChunkReturnsTheLoadLease() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let script = cluster.shards[0].script
            let value = await client.load(Sample.key("a")) { _ in
                script.withLock {
                    $0.status = .refused
                    $0.detail = StoreRefusal.draining.rawValue
                }
                return LoadedValue(Sample.pattern(WireLimits.chunkBytesMax + 1))
            }
            #expect(value.notStored?.refusal == .draining)
            script.withLock { $0.status = nil }
            #expect(await isLeaseFree(client))
        }
    }

    @Test func aLeaseThatArrivesAfterCancellationIsReturned() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.isHolding = true }
            let load = Task { await client.load(Sample.key("a")) { _ in LoadedValue([1]) } }
            while cluster.shards[0].operationCount(.get) == 0 { await Task.yield() }
            load.cancel()
            _ = await load.value
            cluster.shards[0].script.withLock { $0.isHolding = false }
            #expect(await isLeaseFree(client))
        }
    }

    @Test func anAnswerThatComesAfterTheLastAttemptGivesItsLeaseBack() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            // The way to the shard is known: the time is for the question alone.
            let other = await client.load(Sample.key("b")) { _ in LoadedValue([2]) }
            #expect(other.notStored == nil)
            cluster.shards[0].script.withLock { $0.isHolding = true }
            var options = LoadOptions()
            options.read.timeout = .milliseconds(400)
            let value = await client.load(Sample.key("a"), options: options) { context in
                #expect(!context.willStore)
                return LoadedValue([1])
            }
            #expect(value.notStored?.code == .timedOut)
            #expect(cluster.shards[0].operationCount(.get) >= 2)
            cluster.shards[0].script.withLock { $0.isHolding = false }
            #expect(await isLeaseFree(client))
        }
    }

    @Test func aQuestionThatIsRepeatedIsGrantedItsOwnLeaseAgain() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let shard = cluster.shards[0]
            shard.script.withLock { $0.isHolding = true }
            let load = Task {
                await client.load(Sample.key("a")) { context in
                    LoadedValue([context.willStore ? 1 : 0])
                }
            }
            while shard.operationCount(.get) < 2 { await Task.yield() }
            shard.script.withLock { $0.isHolding = false }
            let value = await load.value
            #expect(value.bytes == [1] && value.notStored == nil)
            #expect(shard.script.withLock { $0.seen.filter(\.isAgain).count } > 0)
        }
    }

    @Test func aLateRightOfAnotherReplicaIsGivenBack() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        try await cluster.withClient({ $0.near = Sample.node("n0") }) { client in
            for shard in cluster.shards { shard.script.withLock { $0.isHolding = true } }
            let load = Task { await client.load(Sample.key("a")) { _ in LoadedValue([1]) } }
            while cluster.shards[1].operationCount(.get) == 0 { await Task.yield() }
            cluster.shards[0].script.withLock { $0.isHolding = false }
            let end = MonotonicClock.now.advanced(by: .milliseconds(1_500))
            while cluster.shards[0].operationCount(.set) == 0, MonotonicClock.now < end {
                await Task.yield()
            }
            #expect(cluster.shards[0].operationCount(.set) == 1)
            cluster.shards[1].script.withLock { $0.isHolding = false }
            #expect(await load.value.notStored == nil)
        }
    }

    @Test func aRenewalThatIsNotAnsweredGivesItsRightBack() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let shard = cluster.shards[0]
            shard.store.withLock { $0.withheldTag = Validator("\"e\"") }
            var options = LoadOptions()
            options.read.timeout = .milliseconds(600)
            let value = await client.load(Sample.key("a"), options: options) { context in
                guard context.mayBeUnchanged else {
                    #expect(context.willStore)
                    return LoadedValue([1])
                }
                shard.script.withLock { $0.silentCount = 1 }
                return .unchanged()
            }
            #expect(value.bytes == [1] && value.notStored == nil)
        }
    }

    @Test func aCancelledLoadDoesNotEndTheLeaseOfAnother() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let shard = cluster.shards[0]
            shard.script.withLock { $0.isHolding = true }
            let cancelled = Task { await client.load(Sample.key("a")) { _ in LoadedValue([1]) } }
            let other = Task { await client.load(Sample.key("a")) { _ in LoadedValue([2]) } }
            while shard.operationCount(.get) < 4 { await Task.yield() }
            cancelled.cancel()
            _ = await cancelled.value
            shard.script.withLock { $0.isHolding = false }
            let value = await other.value
            #expect(value.bytes == [2] && value.notStored == nil)
        }
    }

    /// The node that gave the right has lost the key since.
    @Test func aLoadOfAMovedKeyIsNotStoredUnderItsToken() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [1])
            let former = try #require(
                cluster.shards.first { $0 !== cluster.holder(of: Sample.key("a")) })
            var options = LoadOptions()
            options.read.node = Sample.node(former.name)
            options.read.timeout = .milliseconds(500)
            let value = await client.load(Sample.key("a"), options: options) { _ in
                former.script.withLock { $0.busyCount = .max }
                return LoadedValue([2])
            }
            #expect(value.bytes == [2] && value.notStored?.refusal == .tokenTooOld)
        }
    }

    @Test func aCacheThatIsDownDoesNotKeepAnybodyFromTheOrigin() async throws {
        let dead = try ScriptedCluster.deadEndpoint()
        let client = try CacheClient(CacheClientConfiguration(endpoints: [dead]))
        var options = LoadOptions()
        options.read.timeout = .milliseconds(80)
        let value = await client.load(Sample.key("a"), options: options) { context in
            #expect(!context.willStore)
            return LoadedValue([5])
        }
        #expect(value.bytes == [5] && value.notStored?.code == .disconnected)
        await client.close()
        let closed = await client.load(Sample.key("a")) { _ in LoadedValue([6]) }
        #expect(closed.bytes == [6] && closed.notStored?.code == .closed)
    }

    @Test func aStaleValueIsAMissUnlessItIsWelcome() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.status = .stale }
            let loaded = await client.load(Sample.key("a")) { _ in LoadedValue([5]) }
            #expect(loaded.bytes == [5] && loaded.notStored != nil)
            var options = LoadOptions()
            options.allowsStale = true
            let stale = await client.load(Sample.key("a"), options: options) { _ in
                LoadedValue([6])
            }
            #expect(stale.isStale && stale.bytes.isEmpty)
        }
    }

    @Test func aReaderThatWaitsTooLongForALoadLoadsWithoutStoring() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            var options = LoadOptions()
            options.read.timeout = .milliseconds(400)
            let outer = await client.load(Sample.key("a")) { _ in
                let inner = await client.load(Sample.key("a"), options: options) { context in
                    #expect(!context.willStore)
                    return LoadedValue([1])
                }
                #expect(inner.notStored?.code == .busy)
                return LoadedValue([2])
            }
            #expect(outer.bytes == [2] && outer.notStored == nil)
        }
    }
}
