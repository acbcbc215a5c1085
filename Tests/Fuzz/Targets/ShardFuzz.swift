import CacheModel
import CacheNodeCore

/// A shard's core: what clients send, what the publisher tells, what disk and origin answer, and
/// time, in any order.
///
///     setting 1 (FuzzShard.Setting), then each event: kind 1, what it needs
///
/// Frames come from five keys of a list, from nobody, or without a list; the disk carries out its
/// commands when the script says so. Debug checks of the product's structures are on.
enum ShardFuzz: FuzzTarget {
    static let name = "shard"

    private static let eventsMax = 200

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        var shard = FuzzShard(FuzzShard.Setting(rawValue: script.byte()))
        for _ in 0..<eventsMax where !script.isAtEnd {
            shard.happen(script.below(22), &script)
            shard.judge()
        }
        shard.end()
    }
}
