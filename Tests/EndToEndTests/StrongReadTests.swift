import CacheModel
import MartletClient
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// A reader who knows no position, and still never reads what was invalidated before it asked.
    @Suite(.serialized) struct StrongReadTests {
        private static func stranger(to cluster: Cluster) throws -> CacheClient {
            var configuration = CacheClientConfiguration(
                endpoints: [try #require(cluster.ready.publisher.endpoint)])
            configuration.timeout = .seconds(20)
            return try CacheClient(configuration)
        }

        private static var strong: ReadOptions {
            var options = ReadOptions()
            options.isFresh = true
            return options
        }

        @Test func aStrongReadNeverShowsWhatWasInvalidatedBeforeIt() async throws {
            try await withCluster(ClusterPlan(.replicated)) { cluster in
                let view = cluster.view
                let stranger = try Self.stranger(to: cluster)
                let entries = SampleEntry.many(60)
                try await view.fill(entries)
                for entry in entries {
                    let key = CacheKey.named(entry.key)
                    _ = try await view.client.invalidate(
                        [Scope(.key(key, in: .default))], wait: .none)
                    for node in view.nodes {
                        var options = Self.strong
                        options.node = node
                        let found = try await stranger.get(key, options: options)
                        #expect(found == nil, "\(entry.key) on \(node)")
                    }
                }
            }
        }

        @Test func strongReadsOfManyAtOnceShareTheirQuestions() async throws {
            try await withCluster(ClusterPlan(.sharded)) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(400)
                try await view.fill(entries)
                let before =
                    try await view.client.cluster.publisherStatus().figures["messages"] ?? 0
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for entry in entries {
                        group.addTask {
                            try await view.client.get(.named(entry.key), options: Self.strong)?
                                .bytes == entry.value
                        }
                    }
                    for try await isThere in group { #expect(isThere) }
                }
                let after = try await view.client.cluster.publisherStatus().figures["messages"] ?? 0
                #expect(after - before < UInt64(entries.count) / 2, "\(after - before) messages")
            }
        }

        @Test func withoutThePublisherStrongReadsFailAndPlainReadsSucceed() async throws {
            try await withCluster { cluster in
                let entry = SampleEntry.many(1)[0]
                let key = CacheKey.named(entry.key)
                try await cluster.view.fill([entry])
                let publisher = cluster.ready.publisher.pid
                try await ProcessTable.stop(publisher)
                defer { ProcessTable.send(SIGCONT, to: publisher) }
                var options = Self.strong
                options.timeout = .seconds(1)
                options.allowsStale = true
                let error = await #expect(throws: CacheError.self) {
                    _ = try await cluster.client.get(key, options: options)
                }
                #expect(error?.code == .behind || error?.code == .timedOut, "\(error as Any)")
                #expect(try await cluster.client.get(key)?.bytes == entry.value)
                ProcessTable.send(SIGCONT, to: publisher)
                #expect(
                    try await cluster.client.get(key, options: Self.strong)?.bytes == entry.value)
            }
        }
    }
}
