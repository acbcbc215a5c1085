import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// Keys that a client has loaded ahead of need.
@Suite struct CacheClientPrefetchingTests {
    private let keys = (0..<40).map { Sample.key("k\($0)") }

    private func options(
        _ change: (inout PrefetchOptions) -> Void = { _ in }
    ) -> PrefetchOptions {
        var options = PrefetchOptions()
        options.timeout = .seconds(5)
        change(&options)
        return options
    }

    private func outcomes(
        _ results: [Result<PrefetchOutcome, CacheError>]
    ) -> [PrefetchOutcome?] {
        results.map { try? $0.get() }
    }

    @Test func everyKeyGoesToItsOwnerOnceAndByItself() async throws {
        let cluster = try ScriptedCluster(nodes: 3)
        try await cluster.withClient { client in
            for key in keys { _ = try await client.set(key, to: [1]) }
            let results = await client.prefetch(keys, options: options())
            #expect(outcomes(results).allSatisfy { $0 == .fresh })
        }
        let gets = cluster.shards.flatMap { $0.script.withLock { $0.seen } }
            .filter { $0.type == .get }
        #expect(gets.count == 40 && gets.allSatisfy { $0.count == 1 })
    }

    @Test func whereNodesAreReplicasEveryOneIsAsked() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        try await cluster.withClient { client in
            _ = await client.prefetch(keys, options: options())
            #expect(cluster.shards.map { $0.operationCount(.get) } == [40, 40, 40])
            _ = await client.prefetch(keys, options: options { $0.node = Sample.node("n1") })
            #expect(cluster.shards.map { $0.operationCount(.get) } == [40, 80, 40])
        }
    }

    /// The least of what was said: one of three did not keep it.
    @Test func whatReplicasSayIsJoined() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        try await cluster.withClient { client in
            cluster.shards[0].script.withLock {
                $0.status = .hit; $0.detail = 3
            }
            cluster.shards[1].script.withLock {
                $0.status = .hit; $0.detail = 1
            }
            cluster.shards[2].script.withLock {
                $0.status = .hit; $0.detail = 1
            }
            #expect(outcomes(await client.prefetch([keys[0]], options: options())) == [.loaded])
            cluster.shards[2].script.withLock { $0.status = .miss }
            #expect(outcomes(await client.prefetch([keys[0]], options: options())) == [.notKept])
            cluster.shards[1].script.withLock {
                $0.status = .failed
                $0.detail = LoadFailure.refused.rawValue
            }
            let failed = await client.prefetch([keys[0]], options: options())
            #expect(throws: CacheError.self) { try failed[0].get() }
        }
    }

    @Test func whatIsTooMuchIsTriedAgain() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            for key in keys { _ = try await client.set(key, to: [1]) }
            // Before that the stores would use it up.
            cluster.shards[0].script.withLock { $0.busyCount = 30 }
            let results = await client.prefetch(keys, options: options())
            #expect(outcomes(results).allSatisfy { $0 == .fresh })
        }
        #expect(cluster.shards[0].operationCount(.get) == 70)
    }

    @Test func whatGoesOnFailingIsTriedFiveTimesAndTold() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock {
            $0.status = .failed
            $0.detail = LoadFailure.overloaded.rawValue
        }
        try await cluster.withClient { client in
            let results = await client.prefetch([keys[0]], options: options())
            let error = #expect(throws: CacheError.self) { try results[0].get() }
            #expect(error?.loadFailure == .overloaded)
        }
        #expect(cluster.shards[0].operationCount(.get) == 5)
    }

    @Test func whatWillNotPassIsTriedOnce() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock {
            $0.status = .failed
            $0.detail = LoadFailure.refused.rawValue
        }
        try await cluster.withClient { client in
            let results = await client.prefetch([keys[0]], options: options())
            #expect(throws: CacheError.self) { try results[0].get() }
        }
        #expect(cluster.shards[0].operationCount(.get) == 1)
    }

    @Test func noMoreAreUnderWayThanMay() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock { $0.isHolding = true }
        try await cluster.withClient { client in
            let task = Task {
                await client.prefetch(keys, options: options { $0.inFlightMax = 3 })
            }
            while cluster.shards[0].operationCount(.get) < 3 { await Task.yield() }
            #expect(cluster.shards[0].operationCount(.get) == 3)
            cluster.shards[0].script.withLock { $0.isHolding = false }
            #expect(await task.value.count == 40)
        }
        #expect(cluster.shards[0].operationCount(.get) == 40)
    }

    /// Nothing more is asked for, and what was not answered says so.
    @Test func aCancelledCallAsksForNothingMore() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock { $0.isHolding = true }
        try await cluster.withClient { client in
            let task = Task {
                await client.prefetch(keys, options: options { $0.inFlightMax = 3 })
            }
            while cluster.shards[0].operationCount(.get) < 3 { await Task.yield() }
            task.cancel()
            let results = await task.value
            let codes = results.map { result -> CacheError.Code? in
                if case .failure(let error) = result { error.code } else { nil }
            }
            #expect(codes.allSatisfy { $0 == .cancelled } && codes.count == 40)
        }
        #expect(cluster.shards[0].operationCount(.get) == 3)
    }

    @Test func aReaderDoesNotShareItsMessageWithPrefetches() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            async let prefetched = client.prefetch(keys, options: options())
            for key in keys { _ = try await client.get(key) }
            _ = await prefetched
        }
        let gets = cluster.shards[0].script.withLock { $0.seen.filter { $0.type == .get } }
        #expect(gets.map(\.count) == Array(repeating: 1, count: 80))
    }

    @Test func whatMakesNoSenseIsRefused() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            for wrong in [
                options { $0.perSecond = 0 }, options { $0.inFlightMax = 0 },
                options { $0.inFlightMax = 1_025 }, options { $0.timeout = .zero },
                options { $0.node = Sample.node("elsewhere") },
            ] {
                let results = await client.prefetch([keys[0]], options: wrong)
                let error = #expect(throws: CacheError.self) { try results[0].get() }
                #expect(error?.code == .invalidArgument)
            }
        }
        #expect(cluster.shards[0].operationCount(.get) == 0)
    }

    // MARK: The hottest

    @Test func theHottestOfAllShardsComeFirst() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            for key in keys { _ = try await client.set(key, to: [1]) }
            let found = try await client.cluster.hottest(7)
            #expect(found.count == 7)
            #expect(found.map(\.heat) == found.map(\.heat).sorted(by: >))
            let all = try await client.cluster.hottest(1_000)
            #expect(all.count == 40)
            #expect(all.prefix(7).map(\.heat) == found.map(\.heat))
        }
    }
}
