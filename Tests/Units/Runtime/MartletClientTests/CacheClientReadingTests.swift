import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct CacheClientReadingTests {
    @Test func whatWasStoredIsFoundAndWhatWasNotIsAMiss() async throws {
        let cluster = try ScriptedCluster(nodes: 3)
        try await cluster.withClient { client in
            for number in 0..<30 {
                let result = try await client.set(
                    Sample.key("k\(number)"), to: Sample.bytes("v\(number)"))
                #expect(!result.isFenced && result.storedOn.count == 1)
            }
            for number in 0..<30 {
                let value = try #require(try await client.get(Sample.key("k\(number)")))
                #expect(value.bytes == Sample.bytes("v\(number)"))
                #expect(value.tier == .memory && value.age == .milliseconds(5))
                #expect(value.timeToLive == nil && value.state == .live && !value.isFenced)
                let holder = try #require(cluster.holder(of: Sample.key("k\(number)")))
                #expect(value.node == Sample.node(holder.name))
            }
            #expect(try await client.get(Sample.key("other")) == nil)
        }
        let used = cluster.shards.filter { $0.script.withLock { $0.count(.set) } > 0 }
        #expect(used.count == 3, "thirty keys reach every one of three nodes")
    }

    @Test func aBatchComesBackInOrderAndSharesMessages() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            let keys = (0..<1_500).map { Sample.key("k\($0)") }
            let items = keys.filter { $0.bytes.count % 2 == 0 }.map { StoreItem($0, $0.bytes) }
            for result in await client.set(items) { _ = try result.get() }
            let values = try await client.get(keys)
            for (key, value) in zip(keys, values) {
                #expect(value?.bytes == (key.bytes.count % 2 == 0 ? key.bytes : nil))
            }
        }
        for shard in cluster.shards {
            let gets = shard.script.withLock { $0.seen.filter { $0.type == .get } }
            #expect(gets.allSatisfy { $0.count <= 128 })
            #expect(gets.count <= 8, "about 750 keys of a shard travel in about six messages")
        }
    }

    @Test func namespacesAreRoomsOfTheirOwn() async throws {
        let cluster = try ScriptedCluster(nodes: 3)
        let images = try #require(Namespace("images"))
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [1], in: images)
            #expect(try await client.get(Sample.key("a")) == nil)
            #expect(try await client.get(Sample.key("a"), in: images)?.bytes == [1])
        }
    }

    @Test func aReadThatIsNotAnsweredIsAskedAgain() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [7])
            cluster.shards[0].script.withLock { $0.silentCount = 1 }
            #expect(try await client.get(Sample.key("a"))?.bytes == [7])
        }
        #expect(cluster.shards[0].script.withLock { $0.count(.get) } == 2)
    }

    @Test func aReadEndsByItsTimeout() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock { $0.silentCount = .max }
            var options = ReadOptions()
            options.timeout = .milliseconds(150)
            let clock = ContinuousClock()
            let began = clock.now
            let error = await failure { () throws(CacheError) in
                try await client.get(Sample.key("a"), options: options)
            }
            #expect(error?.code == .timedOut && error?.mayHaveHappened == false)
            #expect(clock.now - began >= .milliseconds(150))
            options.treatsUnreachableAsMiss = true
            let value = try await client.get(Sample.key("a"), options: options)
            #expect(value == nil)
        }
    }

    @Test func busyAndDeferredAreAskedAgainUntilThereIsAnAnswer() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let keys = (0..<20).map { Sample.key("k\($0)") }
            for result in await client.set(keys.map { StoreItem($0, $0.bytes) }) {
                _ = try result.get()
            }
            cluster.shards[0].script.withLock {
                $0.busyCount = 7
                $0.deferredCount = 9
            }
            let values = try await client.get(keys)
            #expect(values.map { $0?.bytes } == keys.map(\.bytes))
        }
    }

    @Test func beingBehindIsWaitedForAndThenSaid() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock {
                $0.status = .behind
                $0.detail = BehindReason.position.rawValue
            }
            var options = ReadOptions()
            options.atLeast = LogPosition("1:900")
            let error = await failureOnceAnswered { [options] time throws(CacheError) in
                var options = options
                options.timeout = time
                return try await client.get(Sample.key("a"), options: options)
            }
            #expect(error?.code == .behind)
            let seen = cluster.shards[0].script.withLock { $0.seen.filter { $0.type == .get } }
            #expect(seen.count > 1 && seen.allSatisfy { $0.atLeast == LogPosition("1:900") })

            // Without a lease, asking again would not help.
            cluster.shards[0].script.withLock {
                $0.detail = BehindReason.lease.rawValue
                $0.seen = []
            }
            let second = await failure { () throws(CacheError) in
                try await client.get(Sample.key("a"))
            }
            #expect(second?.code == .behind)
            #expect(cluster.shards[0].script.withLock { $0.count(.get) } == 1)
        }
    }

    @Test func anUnreadableReplyFailsAtOnceAndTheNextSucceeds() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [7])
            cluster.shards[0].script.withLock { $0.garbageCount = 1 }
            let error = await failure { () throws(CacheError) in
                try await client.get(Sample.key("a"))
            }
            #expect(error?.code == .protocolViolation)
            #expect(try await client.get(Sample.key("a"))?.bytes == [7])
        }
    }

    @Test func anUnknownStatusIsAMissAndLaterResultsAreRead() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [7])
            _ = try await client.set(Sample.key("b"), to: [8])
            cluster.shards[0].script.withLock { $0.unknownStatusCount = 1 }
            let values = try await client.get([Sample.key("a"), Sample.key("b")])
            #expect(values.map { $0?.bytes } == [nil, [8]])
        }
    }

    @Test func aLateReplyDoesNotAffectLaterRequests() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [7])
            cluster.shards[0].script.withLock { $0.isHolding = true }
            var options = ReadOptions()
            options.timeout = .milliseconds(60)
            let error = await failure { () throws(CacheError) in
                try await client.get(Sample.key("b"), options: options)
            }
            #expect(error?.code == .timedOut)
            // Now the old answer, a miss, arrives in front of the new one.
            cluster.shards[0].script.withLock { $0.isHolding = false }
            #expect(try await client.get(Sample.key("a"))?.bytes == [7])
        }
    }

    @Test func aLargeValueIsFetchedInParts() async throws {
        let cluster = try ScriptedCluster()
        let large = Sample.pattern(5_000_000)
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("large"), to: large)
            #expect(try await client.get(Sample.key("large"))?.bytes == large)
            // The entry becomes another one in the middle of the next read.
            cluster.shards[0].store.withLock { $0.changesAfterParts = 4 }
            #expect(try await client.get(Sample.key("large"))?.bytes == large)
        }
        #expect(cluster.shards[0].script.withLock { $0.count(.chunk) } == 10)
    }
}
