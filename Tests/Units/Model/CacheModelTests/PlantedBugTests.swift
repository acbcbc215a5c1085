import CacheModel
import Testing

@Suite struct PlantedBugTests {
    static func position(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }

    static func ignored(_ bug: PlantedBug) -> [UInt64] {
        (1...10).filter { bug.ignores(position($0)) }
    }

    @Test func aNodeObeysEverythingUnlessABugIsPlanted() {
        #expect(Self.ignored(.none) == [])
    }

    #if CACHE_CHECKED
        @Test func everyThirdRecordIsSteppedOver() throws {
            let node = try #require(NodeID("n2"))
            let everywhere = try #require(PlantedBug("ignore-invalidations:3", of: node))
            #expect(Self.ignored(everywhere) == [3, 6, 9])
            let here = try #require(PlantedBug("ignore-invalidations:3:n2", of: node))
            #expect(here == everywhere)
            let elsewhere = try #require(PlantedBug("ignore-invalidations:3:n1", of: node))
            #expect(elsewhere == .none)
        }

        @Test(arguments: [
            "", "ignore-invalidations", "ignore-invalidations:", "ignore-invalidations:0",
            "ignore-invalidations:-1", "ignore-invalidations:x", "ignore-invalidations:1:n1:n2",
            "forget-everything:1",
        ])
        func whatNamesNoBugPlantsNone(text: String) throws {
            let node = try #require(NodeID("n1"))
            #expect(PlantedBug(text, of: node) == nil)
        }
    #endif
}
