import CacheModel
import CacheNodeCore

/// Which shards of a node have opened their disk tiers, and where the node begins.
struct DiskRoll {
    private var places: [RecoveredPlace?]
    private var isNoted: [Bool]

    init(shardCount: Int) {
        places = Array(repeating: nil, count: shardCount)
        isNoted = Array(repeating: false, count: shardCount)
    }

    mutating func note(_ place: RecoveredPlace?, of shard: ShardIndex) {
        places[shard.rawValue] = place
        isNoted[shard.rawValue] = true
    }

    var isComplete: Bool { isNoted.allSatisfy(\.self) }

    /// The least place of the tiers that go on; `nil` if none does, or if they followed different
    /// logs: then the node begins as a new one, and every tier is reset.
    var common: RecoveredPlace? {
        let found = places.compactMap(\.self)
        guard let first = found.first,
            found.allSatisfy({
                $0.log == first.log && $0.mark.position.epoch == first.mark.position.epoch
            })
        else { return nil }
        return found.min { $0.mark.position < $1.mark.position }
    }

    /// Shards that hold nothing, and can begin anywhere.
    var beginners: [ShardIndex] {
        places.indices.filter { places[$0] == nil }.map(ShardIndex.init)
    }
}
