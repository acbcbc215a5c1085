#if CACHE_CHECKED
    import CacheModel
    import CacheNodeCore
    import CacheWire
    import Testing

    /// A node that is wrong on purpose is wrong in the way that was asked for.
    @Suite struct ShardCorePlantedBugTests {
        @Test func everySecondInvalidationIsClaimedAndNotObeyed() throws {
            let node = try #require(NodeID("n1"))
            let bug = try #require(PlantedBug("ignore-invalidations:2", of: node))
            var shard = ShardHarness { $0.plantedBug = bug }
            for sequence in 1...6 {
                _ = shard.fill("a", "old", shard.token(for: "a"))
                let position = shard.invalidate(.key("a"))
                let isIgnored = position.sequence.rawValue.isMultiple(of: 2)
                #expect(shard.get("a").status == (isIgnored ? .hit : .miss), "record \(sequence)")
                #expect(shard.core.applied.position == position)
            }
        }
    }
#endif
