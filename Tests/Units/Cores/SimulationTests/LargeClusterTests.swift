import CacheSimulation
import Testing

/// What a change of the owners of slots costs, without faults. `martlet-simulate --nodes` measures
/// larger clusters.
@Suite struct LargeClusterTests {
    private static let nodeCount = 6

    @Test func aNodeMoreOrLessCostsTwoRecordsAndFewTopologies() throws {
        let cluster = LargeCluster()
        let started = try #require(cluster.start(Self.nodeCount))
        #expect(started.served < .seconds(2))
        let share = 16_384 / (Self.nodeCount + 1)
        let joined = try #require(cluster.start(1))
        let lost = try #require(cluster.loseOne())
        for cost in [joined, lost] {
            #expect(cost.records == 2)
            #expect((share...share + 1).contains(cost.movedSlots))
            #expect(cost.recordBytes < 1_024)
            #expect(cost.topologies <= 2 * (Self.nodeCount + 1))
            #expect(cost.topologyBytes < cost.sentBytes)
            #expect(cost.settled >= cost.served)
        }
        #expect(joined.served < .seconds(1))
        // 10 s after its last lease, which may be a second older than its death.
        #expect((.seconds(9)...(.seconds(11))).contains(lost.served))
    }

    @Test func noSlotGoesToOthersWithoutAMajority() throws {
        let cluster = LargeCluster()
        _ = try #require(cluster.start(2))
        #expect(cluster.loseOne() == nil)
    }
}
