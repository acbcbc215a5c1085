import CacheModel

/// Which shards of a node have opened their disk tiers, and where the node begins.
///
/// Pure: the shell notes what each shard says, and once the roll is complete begins a
/// ``NodeControlCore`` at ``common``, tells every shard to resume there, and has the
/// ``beginners`` forget.
package struct DiskRoll {
    private var places: [RecoveredPlace?]
    private var isNoted: [Bool]

    package init(shardCount: Int) {
        places = Array(repeating: nil, count: shardCount)
        isNoted = Array(repeating: false, count: shardCount)
    }

    /// - Parameter place: where its tier goes on; `nil` if it holds nothing.
    package mutating func note(_ place: RecoveredPlace?, of shard: ShardIndex) {
        places[shard.rawValue] = place
        isNoted[shard.rawValue] = true
    }

    package var isComplete: Bool { isNoted.allSatisfy(\.self) }

    /// The least place of the tiers that go on; `nil` if none does, or if they followed different
    /// logs: then the node begins as a new one, and every tier is reset.
    package var common: RecoveredPlace? {
        let found = places.compactMap(\.self)
        guard let first = found.first,
            found.allSatisfy({
                $0.log == first.log && $0.mark.position.epoch == first.mark.position.epoch
            })
        else { return nil }
        return found.min { $0.mark.position < $1.mark.position }
    }

    /// Shards that hold nothing, and can begin anywhere.
    package var beginners: [ShardIndex] {
        places.indices.filter { places[$0] == nil }.map(ShardIndex.init)
    }
}
