import CacheModel
import MartletClient
import TestSupport
import Threading
import Testing

extension EndToEndTests {
    /// Scenario 10: the database commits, its replica lags, and the cache ends with the truth.
    @Suite(.serialized) struct ReplicaLagTests {
        @Test func anOldValueThatALaggingReplicaHandsOutDoesNotStay() async throws {
            var plan = ClusterPlan()
            plan.namespaces = ["  read-by-replica:", "    replica-lag: 500ms"]
            try await withCluster(plan) { cluster in
                let client = cluster.client
                let namespace = Namespace.named("read-by-replica")
                let key = CacheKey.named("user:1")
                let replica = Guarded<[UInt8]>([1])
                let read: @Sendable () async -> [UInt8]? = {
                    await client.load(key, in: namespace) { _ in
                        LoadedValue(replica.withLock(\.self))
                    }.bytes
                }
                #expect(await read() == [1])
                // The primary commits; the replica will know later.
                _ = try await client.invalidate([Scope(.key(key, in: namespace))], wait: .all)
                #expect(await read() == [1], "the replica has not seen the change")
                let lifetime = try await client.get(key, in: namespace)?.timeToLive
                #expect(lifetime ?? .seconds(99) <= .milliseconds(500))
                replica.withLock { $0 = [2] }
                try await eventually("nobody serves what was before") {
                    try await client.get(key, in: namespace)?.bytes != [1]
                }
                #expect(await read() == [2])
                // The value's life ends when the echo is due: its node may be the first to say so.
                try await eventually("the publisher has said it once more") {
                    try await client.cluster.publisherStatus().figures["echoes"] == 1
                }
            }
        }
    }
}
