import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// What a shard knows of its cluster, without a shard.
@Suite struct ClusterStateTests {
    private static func view(hasDisk: Bool) throws -> ClusterState {
        ClusterState(node: try #require(NodeID("n1")), shard: ShardIndex(0), hasDisk: hasDisk)
    }

    @Test(arguments: [false, true])
    func nothingIsStoredBeforeTheKindOfTheClusterIsKnown(hasDisk: Bool) throws {
        var view = try Self.view(hasDisk: hasDisk)
        view.noteLease()
        #expect(!view.mayStore && view.topologyFrame.isEmpty && view.owners == nil)
        _ = view.updateTopology(ShardHarness.topology(.replicated), at: .none)
        #expect(view.mayStore && view.isReplicated && view.owners == 1)
    }

    /// A record shows a store of a replicated cluster; a lease shows a run of a sharded one.
    @Test func withoutALeaseOnlyDisklessRunsStoreInAShardedCluster() throws {
        var (diskless, withDisk) = (try Self.view(hasDisk: false), try Self.view(hasDisk: true))
        _ = diskless.updateTopology(ShardHarness.topology(.sharded), at: .none)
        _ = withDisk.updateTopology(ShardHarness.topology(.sharded), at: .none)
        #expect(diskless.mayStore && !withDisk.mayStore)
        withDisk.noteLease()
        #expect(withDisk.mayStore)
    }

    /// It would hand over what it stored while another run of the node had the lease.
    @Test func withoutALeaseNoRunStoresWhereTheLogAssignsSlots() throws {
        var view = try Self.view(hasDisk: false)
        _ = view.updateTopology(ShardHarness.topology(.sharded), at: .none)
        let place = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        _ = view.apply(
            .served(below: SequenceNumber(1)), at: place, before: .none, isVouching: false,
            now: Instant(nanoseconds: 0))
        #expect(!view.mayStore)
        view.noteLease()
        #expect(view.mayStore)
    }

    /// If its first report was by slots, a node answered for every key once its publisher had lost
    /// the log, until the next report.
    @Test func inAnotherLogAfterSlotsNoKeyIsAnsweredBeforeAReport() throws {
        var view = try Self.view(hasDisk: false)
        let place = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        _ = view.apply(
            .served(below: SequenceNumber(1)), at: place, before: .none, isVouching: true,
            now: Instant(nanoseconds: 0))
        let isBySlots = view.isBySlots
        view.forgetOwners(at: place, goingOnFrom: .none, isOtherLog: true)
        #expect(isBySlots && !view.isBySlots)
        #expect(!view.answersEveryKey)
        _ = view.updateTopology(ShardHarness.topology(.sharded), at: .none)
        #expect(view.answersEveryKey, "a publisher without MEMBERS checks no owners")
    }

    @Test func anotherKindIsReportedOnlyAfterAFirstOne() throws {
        var view = try Self.view(hasDisk: false)
        let kinds: [TopologyReport.Kind] = [.sharded, .sharded, .replicated, .replicated, .sharded]
        let changes = kinds.map {
            view.updateTopology(ShardHarness.topology($0), at: .none).isOtherKind
        }
        #expect(changes == [false, false, true, false, true])
    }

    @Test func theEndOfDrainingIsReportedOnce() throws {
        var view = try Self.view(hasDisk: false)
        view.askToDrain()
        #expect(view.isDraining(.live))
        #expect(view.finishDraining() && !view.finishDraining())
    }
}
