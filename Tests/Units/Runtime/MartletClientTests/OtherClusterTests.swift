import ByteCoding
import CacheModel
import CacheWire
import Testing
import Threading

@testable import MartletClient

/// Another cluster listens where a node of this one was: docs/decisions/0089.
@Suite struct OtherClusterTests {
    private let ours = ClusterID(0xA)
    private let theirs = ClusterID(0xB)

    private func cluster(
        of id: ClusterID, _ kind: TopologyReport.Kind = .sharded, nodes: Int = 1
    ) throws -> ScriptedCluster {
        let cluster = try ScriptedCluster(kind, nodes: nodes)
        cluster.state.withLock { $0.cluster = id }
        return cluster
    }

    private func error(_ body: () async throws -> Void) async throws -> CacheError {
        do {
            try await body()
        } catch let error as CacheError {
            return error
        }
        Issue.record("it did not fail")
        return try #require(nil as CacheError?)
    }

    @Test func itsNodeIsNeitherReadNorWritten() async throws {
        let cluster = try cluster(of: ours)
        cluster.shards[0].script.withLock { $0.cluster = theirs }
        try await cluster.withClient { client in
            let get = await failureOnceAnswered { time throws(CacheError) in
                var options = ReadOptions()
                options.timeout = time
                return try await client.get(Sample.key("k"), options: options)
            }
            #expect(get?.code == .disconnected && get?.mayHaveHappened == false)
            let set = await failureOnceAnswered { time throws(CacheError) in
                var options = StoreOptions()
                options.timeout = time
                return try await client.set(
                    Sample.key("k"), to: Sample.bytes("v"), options: options)
            }
            #expect(set?.code == .disconnected && set?.mayHaveHappened == false)
            #expect(cluster.holder(of: Sample.key("k")) == nil)
        }
    }

    /// It comes back to its place while the caller still waits.
    @Test func whatWasRefusedIsAskedAgainUntilTheNodeIsBack() async throws {
        let cluster = try cluster(of: ours)
        let shard = cluster.shards[0]
        shard.script.withLock { $0.cluster = theirs }
        try await cluster.withClient {
            $0.timeout = .seconds(20)
        } _: { client in
            async let stored = client.set(Sample.key("k"), to: Sample.bytes("v"))
            let clock = ContinuousClock()
            let end = clock.now + .seconds(20)
            while shard.script.withLock({ $0.seen.isEmpty }) {
                try #require(clock.now < end)
                await Task.yield()
            }
            shard.script.withLock { $0.cluster = nil }
            _ = try await stored
            #expect(try await client.get(Sample.key("k"))?.bytes == Sample.bytes("v"))
        }
    }

    @Test func anotherReplicaAnswersInItsPlace() async throws {
        let cluster = try cluster(of: ours, .replicated, nodes: 2)
        for shard in cluster.shards {
            shard.store.withLock { $0.put(Sample.key("k").bytes, Sample.bytes("v")) }
        }
        cluster.shards[0].script.withLock { $0.cluster = theirs }
        try await cluster.withClient {
            $0.timeout = .seconds(20)
            $0.near = NodeID("n0")
        } _: { client in
            let value = try await client.get(Sample.key("k"))
            #expect(value?.bytes == Sample.bytes("v"))
        }
    }

    @Test func aPublisherOfAnotherClusterIsNotWrittenTo() async throws {
        let cluster = try cluster(of: ours)
        cluster.publisher.script.withLock { $0.cluster = theirs }
        try await cluster.withClient { client in
            let failed = await failureOnceAnswered { time throws(CacheError) in
                try await client.invalidate([Scope(.everything)], timeout: time)
            }
            #expect(failed?.code == .disconnected && failed?.mayHaveHappened == false)
            #expect(cluster.head.sequence == .none)
        }
    }

    // MARK: Endpoints that were kept

    private func configuration(
        keeping endpoint: String, of cluster: ClusterID
    ) throws -> CacheClientConfiguration {
        var configuration = CacheClientConfiguration(
            endpoints: [try ScriptedCluster.deadEndpoint()])
        configuration.keptEndpoints = ["no endpoint", endpoint]
        configuration.keptCluster = cluster
        configuration.timeout = .seconds(2)
        return configuration
    }

    /// Stop cluster A, start B on a port of A's node, and go on naming A.
    @Test func aKeptEndpointOfAnotherClusterIsPassedOver() async throws {
        let other = try cluster(of: theirs)
        let client = try CacheClient(
            try configuration(keeping: other.shards[0].endpoint, of: ours))
        let get = try await error { _ = try await client.get(Sample.key("k")) }
        #expect(get.code == .disconnected)
        let told = try await error { _ = try await client.invalidate([Scope(.everything)]) }
        #expect(told.code == .disconnected && !told.mayHaveHappened)
        #expect(
            other.head.sequence == .none && other.shards[0].script.withLock { $0.count(.get) } == 0)
        await client.close()
    }

    @Test func anUnconfirmedKeptEndpointIsReadButNotWritten() async throws {
        let old = try cluster(of: .none)
        old.shards[0].store.withLock { $0.put(Sample.key("k").bytes, Sample.bytes("v")) }
        let client = try CacheClient(
            try configuration(keeping: old.shards[0].endpoint, of: ours))
        #expect(try await client.get(Sample.key("k"))?.bytes == Sample.bytes("v"))
        for write in [
            { _ = try await client.set(Sample.key("k"), to: Sample.bytes("w")) },
            { _ = try await client.invalidate([Scope(.everything)]) },
        ] as [() async throws -> Void] {
            let failure = try await error(write)
            #expect(failure.code == .disconnected && !failure.mayHaveHappened)
        }
        #expect(!client.isConfirmed && old.head.sequence == .none)
        #expect(old.shards[0].script.withLock { $0.count(.set) } == 0)
        await client.close()
    }

    /// It could neither fill by the right nor give it back.
    @Test func aKeptEndpointThatIsNotConfirmedGivesNoRightToLoad() async throws {
        let old = try cluster(of: .none)
        let client = try CacheClient(
            try configuration(keeping: old.shards[0].endpoint, of: ours))
        let value = await client.load(Sample.key("k")) { _ in LoadedValue(Sample.bytes("v")) }
        #expect(value.bytes == Sample.bytes("v"))
        #expect(!client.isConfirmed)
        #expect(old.shards[0].store.withLock { $0.leases.isEmpty })
        await client.close()
    }

    @Test func aKeptEndpointOfTheSameClusterIsWrittenTo() async throws {
        let cluster = try cluster(of: ours)
        let client = try CacheClient(
            try configuration(keeping: cluster.shards[0].endpoint, of: ours))
        _ = try await client.set(Sample.key("k"), to: Sample.bytes("v"))
        #expect(try await client.invalidate([Scope(.everything)]).isComplete)
        #expect(client.isConfirmed)
        #expect(try await client.cluster.topology().cluster == ours)
        await client.close()
    }

    // MARK: An endpoint that was named

    @Test func aNamedEndpointMayBringAnotherClusterAndEarlierPositionsAreVoid() async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient {
            $0.timeout = .seconds(20)
        } _: { client in
            _ = try await client.invalidate([Scope(.everything)])
            #expect(client.position.sequence == SequenceNumber(1))
            cluster.state.withLock {
                $0.cluster = theirs
                $0.version = 2
                $0.head = 0
            }
            _ = try await client.set(Sample.key("k"), to: Sample.bytes("v"))
            #expect(try await client.cluster.topology().cluster == theirs)
            #expect(client.position.sequence == .none)
        }
    }

    /// A publisher that was started again tells none until it has decided.
    @Test func anotherClusterIsDetectedAlsoAfterTopologiesWithoutOne() async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient {
            $0.timeout = .seconds(20)
        } _: { client in
            _ = try await client.invalidate([Scope(.everything)])
            for (told, sequence) in [(ClusterID.none, 1), (ours, 1), (.none, 1), (theirs, 0)] {
                cluster.state.withLock {
                    $0.cluster = told
                    $0.version += 1
                }
                #expect(try await client.cluster.topology(isRefreshed: true).cluster == told)
                #expect(client.position.sequence == SequenceNumber(UInt64(sequence)))
            }
        }
    }

    /// The first cluster's publisher answers after the client went over to the other one.
    @Test func aReceiptOfTheFormerClusterDoesNotAdvanceThePosition() async throws {
        let (left, next) = (try cluster(of: ours), try cluster(of: theirs))
        next.state.withLock { $0.version = 2 }
        try await left.withClient {
            $0.endpoints.append(next.publisher.endpoint)
            $0.timeout = .seconds(20)
        } _: { client in
            #expect(try await client.cluster.topology().cluster == ours)
            for server in [left.publisher] + left.shards {
                server.script.withLock { $0.isMute = true }
            }
            async let receipt = client.invalidate([Scope(.everything)])
            let end = ContinuousClock.now + .seconds(20)
            while left.publisher.script.withLock({ $0.count(.invalidate) }) == 0 {
                try #require(ContinuousClock.now < end)
                await Task.yield()
            }
            #expect(try await client.cluster.topology(isRefreshed: true).cluster == theirs)
            left.publisher.script.withLock { $0.isMute = false }
            #expect(try await receipt.position.sequence == SequenceNumber(1))
            #expect(client.position.sequence == .none)
            // One that the other cluster's publisher has given counts.
            _ = try await client.invalidate([Scope(.everything)])
            #expect(client.position.sequence == SequenceNumber(1))
        }
    }

    @Test func aReadInProgressDropsThePositionOfTheFormerCluster() async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient {
            $0.timeout = .seconds(20)
        } _: { client in
            _ = try await client.invalidate([Scope(.everything)])
            cluster.state.withLock {
                $0.cluster = theirs
                $0.version = 2
                $0.head = 0
            }
            cluster.shards[0].script.withLock { $0.isHonestlyBehind = true }
            // It learns of the other one by a refusal.
            let found = await client.results(for: [Sample.key("k")], in: .default)
            #expect(try found[0].get() == nil)
            #expect(try await client.cluster.topology().cluster == theirs)
        }
    }

    // MARK: Positions that are handed back

    @Test func aReadThatAsksForAPositionOfAnotherClusterIsRefused() async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient { client in
            _ = try await client.invalidate([Scope(.everything)])
            var options = ReadOptions()
            options.atLeast = client.position
            for own in [ours, .none] {
                options.atLeastCluster = own
                _ = try await client.get(Sample.key("k"), options: options)
            }
            options.atLeastCluster = theirs
            let failure = try await error {
                _ = try await client.get(Sample.key("k"), options: options)
            }
            #expect(failure.code == .invalidArgument)
        }
    }

    @Test func aStreamFromAPositionOfAnotherClusterBeginsWithALoss() async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient { client in
            let start = position(3)
            let heartbeat = heartbeat(at: 9)
            cluster.publisher.greeting.withLock { $0 = heartbeat }
            let events = try await client.invalidations(from: start, of: theirs)
            var iterator = events.makeAsyncIterator()
            let first = await iterator.next()
            #expect(first == .lost(after: start, continuingAfter: position(9)))
        }
    }

    private func position(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }

    private func heartbeat(at sequence: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        Heartbeat(
            log: LogID(1),
            head: LogMark(position: position(sequence), digest: LogDigest(sequence)),
            versions: SharedVersions(configRevision: 0, topologyVersion: 1)
        ).encode(into: &writer)
        return writer.array
    }

    /// The other cluster's publisher has this one's port, and nobody has told a topology since.
    @Test(arguments: [3, 9] as [UInt64])
    func aResumedStreamReportsAPositionOfAnotherClusterAsLost(
        at sequence: UInt64
    ) async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient { client in
            #expect(try await client.cluster.topology().cluster == ours)
            cluster.publisher.script.withLock { $0.cluster = theirs }
            let heartbeat = heartbeat(at: 9)
            cluster.publisher.greeting.withLock { $0 = heartbeat }
            let start = position(sequence)
            let events = try await client.invalidations(from: start, of: ours)
            let clock = ContinuousClock()
            let end = clock.now + .seconds(20)
            var isLost = false
            for await event in events {
                try #require(clock.now < end)
                isLost = event == .lost(after: start, continuingAfter: position(9))
                if isLost { break }
                #expect(event == .heartbeat(head: position(9)))
                cluster.publisher.broadcast(heartbeat)
            }
            #expect(isLost)
            #expect(cluster.publisher.script.withLock { $0.count(.resume) } > 0)
        }
    }

    @Test func aStreamsQuestionsNameTheCluster() async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient { client in
            let heartbeat = heartbeat(at: 9)
            cluster.publisher.greeting.withLock { $0 = heartbeat }
            let whole = try await client.invalidations(from: position(3), of: ours)
            for await _ in whole {
                if asked(.resume, cluster) != nil { break }
                cluster.publisher.broadcast(heartbeat)
            }
            #expect(asked(.resume, cluster) == ours)
            let topology = try await client.loop.topology(deadline: client.loop.deadline(nil))
            let place = LogMark(position: position(3), digest: LogDigest(0))
            let part = InvalidationStream(
                feed: try EventFeed(
                    client.loop, topology, from: .part(place, isVoid: false)),
                topology: topology)
            for await _ in part { break }
            #expect(asked(.follow, cluster) == ours)
        }
    }

    @Test func aStreamIsOfTheClientsClusterUntilTheClientIsOfAnother() async throws {
        let cluster = try cluster(of: ours)
        try await cluster.withClient { client in
            let stream = try await client.invalidations()
            let told = cluster.report
            func isSame(_ change: (inout TopologyReport) -> Void) -> Bool {
                var report = told
                change(&report)
                client.loop.publish(Topology(report))
                return client.isOfCluster(of: stream)
            }
            #expect(isSame { $0.version += 1 })
            #expect(isSame { $0.cluster = .none })
            #expect(isSame { ($0.controlEndpoint, $0.liveEndpoint) = ("", "") })
            // Another publisher of the cluster: the stream goes on there by itself.
            #expect(isSame { $0.controlEndpoint = "tcp://127.0.0.1:1" })
            #expect(!isSame { $0.cluster = theirs })
        }
    }

    private func asked(_ type: MessageType, _ cluster: ScriptedCluster) -> ClusterID? {
        cluster.publisher.script.withLock { $0.seen.first { $0.type == type }?.cluster }
    }
}
