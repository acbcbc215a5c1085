import CacheModel
import CacheWire
import Logging
import NIOCore
import GatewayCore
import Testing
import Threading

@testable import GatewayServer
@testable import MartletClient

/// What the gateway makes of what it hears of the log.
@Suite struct PushFollowerTests {
    private final class Reader: PushReader {
        let heard = Guarded<[EncodedPush]>([])

        var loop: (any EventLoop)? { nil }
        var transport: PushTransport { .events }
        var kinds: [PushMessage.Kind] { heard.withLock { $0.map(\.message.kind) } }

        func take(_ push: EncodedPush) { heard.withLock { $0.append(push) } }
        func end(_ push: EncodedPush, _ ending: PushEnding) { take(push) }
        func flush(_ receipts: PushReceipts) {}
    }

    private func position(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }

    private func withFollower(
        _ body: (PushFollower, SharedPushHub, Reader) async throws -> Void
    ) async throws {
        // It is never asked.
        let client = try CacheClient(CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:1"]))
        let sharedHub = SharedPushHub(subscribersMax: 10)
        let reader = Reader()
        try sharedHub.subscribe(try PushSubscription([.everything], after: nil, for: nil), reader) {
            _ in
        }
        let follower = PushFollower(
            sharedHub: sharedHub, client: client, near: nil, logger: Logger(label: "test"))
        sharedHub.tell { hub, _, _ in hub.follows(after: position(8)) }
        try await body(follower, sharedHub, reader)
        await client.close()
    }

    @Test func whatIsLostIsToldBeforeTheClusterIsAskedFor() async throws {
        let (ours, theirs) = (ClusterID(0xA), ClusterID(0xB))
        try await withFollower { follower, sharedHub, reader in
            await follower.hear(.heartbeat(head: position(8)), isPartial: false, of: ours) {
                () throws(CacheError) in ours
            }
            #expect(sharedHub.place == ClusterPosition(position(8), of: ours))
            let lost = InvalidationStream.Event.lost(
                after: position(8), continuingAfter: position(20))
            await follower.hear(lost, isPartial: false, of: ours) { () throws(CacheError) in
                #expect(reader.kinds.last == .gone)
                throw CacheError(.disconnected, "nobody tells a topology")
            }
            #expect(sharedHub.place?.position == position(20))
            await follower.hear(lost, isPartial: false, of: ours) { () throws(CacheError) in
                theirs
            }
            #expect(sharedHub.place == ClusterPosition(position(20), of: theirs))
        }
    }

    @Test func aGatewayThatStartedFirstTellsTheClusterOnceItIsKnown() async throws {
        try await withFollower { follower, sharedHub, reader in
            for cluster in [ClusterID.none, ClusterID(0xA)] {
                await follower.hear(
                    .heartbeat(head: position(8)), isPartial: false, of: cluster
                ) { () throws(CacheError) in throw CacheError(.disconnected, "not asked") }
                #expect(sharedHub.place == ClusterPosition(position(8), of: cluster))
            }
            await follower.hear(
                .lost(after: position(8), continuingAfter: position(9)), isPartial: false,
                of: ClusterID(0xA)
            ) { () throws(CacheError) in ClusterID(0xA) }
            let text = try #require(
                reader.heard.withLock { $0.last.map { String(buffer: $0.eventStream) } })
            #expect(text.hasPrefix("id: 1:9@\(ClusterID(0xA))\n"))
        }
    }

    // MARK: Another cluster

    private func topology(of cluster: ClusterID) -> Topology {
        var report = TopologyReport(
            version: 1, kind: .sharded, controlEndpoint: "tcp://127.0.0.1:1",
            liveEndpoint: "tcp://127.0.0.1:2", nodes: [])
        report.cluster = cluster
        return Topology(report)
    }

    /// Nothing listens where the followed publisher was: nothing is heard that could tell. Another
    /// publisher of the same cluster is followed by the stream itself.
    @Test(.timeLimit(.minutes(1)))
    func aStreamIsLeftOnceTheClientIsOfAnotherCluster() async throws {
        try await withFollower { follower, _, _ in
            follower.client.loop.publish(topology(of: ClusterID(0xA)))
            let stream = try await follower.client.invalidations()
            async let heard: Void = follower.hear(stream)
            follower.client.loop.publish(topology(of: ClusterID(0xB)))
            await heard
            #expect(!Task.isCancelled && stream.failure == nil)
        }
    }
}
