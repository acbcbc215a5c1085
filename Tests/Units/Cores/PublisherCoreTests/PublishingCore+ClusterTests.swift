import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// What a publisher says and takes in the name of its cluster: docs/decisions/0089.
@Suite struct PublishingCoreClusterTests {
    private let fresh = ClusterID(0xF)
    private let ours = ClusterID(0xA)
    private let theirs = ClusterID(0xB)
    private let log = LogID(0xAA)

    /// What the topology says, and its version.
    private func told(
        _ cluster: inout Cluster
    ) throws -> (cluster: ClusterID, version: UInt32) {
        cluster.send(from: 90) {
            MessageWriter(.topology, requestID: 4, into: &$0).finish(&$0, count: 0)
        }
        let report = try cluster.hear(90, .topologyReport) { try TopologyReport(decoding: $0) }
        return (report.cluster, report.version)
    }

    /// A whole request, of a client that takes itself to be of that cluster.
    private func request(
        of cluster: ClusterID, _ encode: (inout ByteWriter) -> Void
    ) -> [UInt8] {
        var writer = ByteWriter()
        MessageWriter.append(Cluster.bytes(encode), from: cluster, to: &writer)
        return writer.array
    }

    @Test func aNewClusterDrawsOneAndTellsIt() throws {
        var cluster = Cluster(nodes: 2)
        cluster.core.setCluster(kept: nil, fresh: fresh)
        let before = try told(&cluster)
        #expect(before.cluster == .none)
        try cluster.hello(1)
        try cluster.hello(2)
        cluster.tick(at: 0.1)
        let welcome = try cluster.hear(1, .welcome) { try Welcome(decoding: $0) }
        #expect(welcome.cluster == fresh)
        #expect(try cluster.ping(1, at: welcome.head).cluster == fresh)
        let after = try told(&cluster)
        #expect(after.cluster == fresh && after.version != before.version)
        // Its log is in memory: there is no directory.
        #expect(cluster.keptClusters.isEmpty)
    }

    @Test func oneThatKeptItTellsItFromTheStart() throws {
        var cluster = Cluster(nodes: 2)
        cluster.core.setCluster(kept: KeptCluster(ours, in: .none), fresh: fresh)
        #expect(try told(&cluster).cluster == ours)
        try cluster.hello(1, of: ours, log: log, at: .at(5))
        try cluster.hello(2, of: ours, log: log, at: .at(5))
        cluster.tick(at: 0.1)
        #expect(try told(&cluster).cluster == ours && cluster.keptClusters.isEmpty)
    }

    @Test func aFreshPublisherAdoptsAndPersistsTheClusterOfItsNodes() throws {
        var cluster = Cluster(nodes: 2, outlivesItsProcess: true)
        cluster.core.setCluster(kept: nil, fresh: fresh)
        try cluster.hello(1, of: ours, log: log, at: .at(5))
        try cluster.hello(2, of: ours, log: log, at: .at(5))
        cluster.tick(at: 0.1)
        #expect(try told(&cluster).cluster == ours)
        #expect(cluster.keptClusters == [KeptCluster(ours, in: Epoch(2))])
        // Its records were to survive and have not: the log is another one all the same.
        #expect(cluster.core.log.id == Cluster.freshID)
    }

    /// The release before had no such file, but a log.
    @Test func aPublisherWithoutAClusterFileDrawsAnIdentityAfterTheLeases() throws {
        var old = MemoryLog(id: log, decode: SealedRecord.kept)
        old.continueHistory(of: log, from: .at(5))
        var cluster = Cluster(nodes: 2, log: old, outlivesItsProcess: true)
        cluster.core.setCluster(kept: nil, fresh: fresh)
        try cluster.hello(1, log: log, at: .at(5))
        cluster.tick(at: 1)
        #expect(try told(&cluster).cluster == .none && cluster.keptClusters.isEmpty)
        cluster.tick(at: 3.1)
        #expect(
            try told(&cluster).cluster == fresh
                && cluster.keptClusters == [KeptCluster(fresh, in: Epoch(1))])
    }

    @Test func ofTwoClustersNodesOnlyItsOwnMoveTheLog() throws {
        var cluster = Cluster(nodes: 3) { $0.kind = .replicated }
        cluster.core.setCluster(kept: nil, fresh: fresh)
        try cluster.hello(1, of: ours, log: log, at: .at(5))
        try cluster.hello(2, of: theirs, log: LogID(0xBB), at: .at(900))
        try cluster.hello(3, of: ours, log: log, at: .at(6))
        cluster.tick(at: 0.1)
        #expect(cluster.core.log.id == log)
        // The other cluster's node is ahead of this log: an epoch is opened, as for any node that
        // knows of other records. It is not followed.
        #expect(cluster.core.log.head.position == .at(0, epoch: 2))
        #expect(try told(&cluster).cluster == ours)
    }

    /// It was alone for longer than a lease, and drew one; its nodes come back.
    @Test func aPublisherWithoutRecordsAdoptsTheClusterOfANodeAhead() throws {
        var cluster = Cluster(nodes: 2)
        cluster.core.setCluster(kept: nil, fresh: fresh)
        cluster.tick(at: 3.1)
        let drawn = try told(&cluster)
        #expect(drawn.cluster == fresh)
        try cluster.hello(1, of: ours, log: log, at: .at(500))
        #expect(cluster.core.log.id == log && cluster.core.log.head == .at(500))
        let taken = try told(&cluster)
        #expect(taken.cluster == ours && taken.version != drawn.version)
    }

    @Test func oneThatKnowsItNeverGoesOnWithAnotherClustersLog() throws {
        var cluster = Cluster(nodes: 2)
        cluster.core.setCluster(kept: KeptCluster(ours, in: .none), fresh: fresh)
        cluster.tick(at: 3.1)
        try cluster.hello(1, of: theirs, log: log, at: .at(500))
        #expect(cluster.core.log.id == Cluster.freshID)
        #expect(cluster.core.log.head.position == .at(0, epoch: 2))
    }

    @Test func aRequestOfAnotherClusterIsRefusedAndNothingIsDone() throws {
        var cluster = Cluster(nodes: 1)
        cluster.core.setCluster(kept: KeptCluster(ours, in: .none), fresh: fresh)
        try cluster.hello(1)
        cluster.tick()
        cluster.forget()
        let invalidate = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 5_000,
            operation: .none)
        cluster.send(
            request(of: theirs) { invalidate.encode(requestID: 9, into: &$0) }, from: 90)
        cluster.tick()
        #expect(try cluster.recordsSent.isEmpty)
        #expect(try cluster.error(to: 90).knownCode == .wrongCluster)
        let status = request(of: theirs) {
            MessageWriter(.status, requestID: 4, into: &$0).finish(&$0, count: 0)
        }
        cluster.send(status, from: 90)
        #expect(try cluster.error(to: 90).knownCode == .wrongCluster)
        for own in [ours, .none] {
            cluster.send(
                request(of: own) { invalidate.encode(requestID: 9, into: &$0) }, from: 90)
            cluster.tick()
            #expect(try cluster.receipt().isComplete)
        }
    }

    /// An error would be answered for ever, and nobody waits for a word on the others.
    @Test func whatIsNotAnsweredIsNotRefusedEither() throws {
        var cluster = Cluster(nodes: 1)
        cluster.core.setCluster(kept: KeptCluster(ours, in: .none), fresh: fresh)
        try cluster.hello(1)
        cluster.tick()
        cluster.forget()
        let head = cluster.core.log.head
        let frames = [
            request(of: theirs) { ErrorReply(.busy, "no").encode(requestID: 9, into: &$0) },
            request(of: theirs) {
                Ack(incarnation: Incarnation(1), applied: head).encode(requestID: 0, into: &$0)
            },
            request(of: theirs) {
                Bye(incarnation: Incarnation(1)).encode(requestID: 0, into: &$0)
            },
        ]
        for frame in frames {
            cluster.send(frame, from: 1)
            #expect(cluster.replies.isEmpty)
        }
    }

    @Test func aPublisherThatKnowsNoneChecksNothing() throws {
        var cluster = try Cluster.live(nodes: 1)
        let invalidate = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 5_000,
            operation: .none)
        cluster.send(
            request(of: theirs) { invalidate.encode(requestID: 9, into: &$0) }, from: 90)
        cluster.tick()
        #expect(try cluster.receipt().isComplete)
        #expect(try told(&cluster).cluster == .none)
    }

    /// A node is welcomed whatever cluster it was of: it leaves that one's log first.
    @Test func aNodeOfAnotherClusterIsWelcomedAndTruncated() throws {
        var cluster = Cluster(nodes: 1)
        cluster.core.setCluster(kept: KeptCluster(ours, in: .none), fresh: fresh)
        cluster.tick(at: 3.1)
        cluster.invalidate(.none)
        cluster.invalidate(.none)
        cluster.tick()
        cluster.forget()
        try cluster.hello(1, of: theirs, log: LogID(0xBB), at: .at(1))
        let welcome = try cluster.hear(1, .welcome) { try Welcome(decoding: $0) }
        #expect(welcome.cluster == ours)
        cluster.resume(1, log: LogID(0xBB), after: .at(1))
        #expect(cluster.order.last == .truncated)
    }

    /// The identity is kept in a file of its own, and the records are gone with all nodes.
    @Test func aNewLogInAKnownClusterStartsInALaterEpoch() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true)
        cluster.core.setCluster(kept: KeptCluster(ours, in: Epoch(7)), fresh: fresh)
        try cluster.hello(1)
        cluster.tick(at: 0.1)
        #expect(cluster.core.log.head.position == .at(0, epoch: 8))
        #expect(cluster.keptClusters == [KeptCluster(ours, in: Epoch(8))])
        cluster.tick(at: 0.2)
        #expect(cluster.keptClusters.count == 1)
        // Its node knows of a later epoch: the log goes on behind that one, and it is kept.
        try cluster.hello(1, of: ours, log: LogID(0xBB), at: .at(3, epoch: 11))
        cluster.tick(at: 0.3)
        #expect(cluster.core.log.head.position == .at(0, epoch: 12))
        #expect(cluster.keptClusters.last == KeptCluster(ours, in: Epoch(12)))
    }

    @Test func anIdentityThatCouldNotBeKeptIsKeptLater() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true)
        cluster.core.setCluster(kept: nil, fresh: fresh)
        cluster.isDiskFull = true
        try cluster.hello(1)
        cluster.tick(at: 0.1)
        let kept = KeptCluster(fresh, in: Epoch(1))
        #expect(cluster.keptClusters == [kept])
        cluster.tick(at: 1.0)
        #expect(cluster.keptClusters == [kept])
        var left = cluster.core.clusterToKeep
        #expect(left == kept, "at the end it is tried again")
        cluster.isDiskFull = false
        cluster.tick(at: 1.1)
        #expect(cluster.keptClusters == [kept, kept])
        cluster.tick(at: 9)
        #expect(cluster.keptClusters == [kept, kept])
        left = cluster.core.clusterToKeep
        #expect(left == nil)
    }

    /// One that never begins would be passed over, and never have been.
    @Test func anEpochIsKeptOnceItHasBegun() throws {
        var old = MemoryLog(id: log, decode: SealedRecord.kept)
        old.continueHistory(of: log, from: .at(5))
        var cluster = Cluster(nodes: 1, log: old, outlivesItsProcess: true)
        cluster.core.setCluster(kept: KeptCluster(ours, in: Epoch(1)), fresh: fresh)
        cluster.core.log.isBeginningLate = true
        try cluster.hello(1, of: ours, log: log, at: .at(9))
        cluster.tick(at: 1)
        #expect(cluster.core.log.head.position.epoch == Epoch(2) && cluster.keptClusters.isEmpty)
        cluster.core.log.isBegun = true
        cluster.tick(at: 2)
        #expect(cluster.keptClusters == [KeptCluster(ours, in: Epoch(2))])
    }

    /// It holds nothing of it, and its positions are void.
    @Test func aNodeWithoutALogPositionDoesNotDecideTheCluster() throws {
        var cluster = Cluster(nodes: 1)
        cluster.core.setCluster(kept: nil, fresh: fresh)
        try cluster.hello(1, of: ours, log: .none, at: .none)
        cluster.tick(at: 0.1)
        #expect(try told(&cluster).cluster == fresh)
    }
}
