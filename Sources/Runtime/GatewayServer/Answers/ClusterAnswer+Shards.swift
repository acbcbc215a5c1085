import ByteCoding
import CacheModel
import MartletClient

/// The data of each shard, beside that of its node.
extension ClusterAnswer {
    /// The metrics that differ between the shards of a node, and that an operator wants to compare.
    /// All others are included as the node's sums.
    static let shardFigures = [
        "behind", "busy", "disk_bytes_max", "disk_entries", "disk_passed_over", "disk_promoted",
        "entries", "gets", "heartbeat_silence_ms", "hits", "loaded_hits", "memory_bytes",
        "memory_bytes_max", "misses", "removed_evicted", "sets", "stale_hits", "state_ms",
        "stored", "waiting",
    ]

    func document(_ shard: StatusSnapshot) -> JSONDocument {
        let reason = shard.figures["standing_reason"].flatMap(UInt8.init(exactly:))
            .flatMap(StandingReason.init)
        let figures = Self.shardFigures.compactMap { name in
            shard.figures[name].map { (name, JSONDocument.unsigned($0)) }
        }
        return .object([
            ("shard", .optional(shard.figures["shard"], JSONDocument.unsigned)),
            // As text: it has 64 bits, and is for comparison.
            ("incarnation", .optional(shard.figures["incarnation"]) { .text("\($0)") }),
            ("state", .text(shard.state.description)),
            ("reason", .optional(reason) { .text("\($0)") }),
            ("applied", .text("\(shard.position)")),
            ("lag", .optional(lag(of: shard.position), JSONDocument.unsigned)),
            ("lease_ms", .optional(shard.figures["lease_left_ms"], JSONDocument.unsigned)),
            ("figures", .object(figures)),
        ])
    }

    /// Number of records between a position and the head; `nil` if unknown: the publisher does not
    /// report its head, or the position is of another log.
    func lag(of position: LogPosition?) -> UInt64? {
        guard let head = snapshot?.position, let position, head.epoch == position.epoch else {
            return nil
        }
        // The head was requested at about the same time, not at exactly the same.
        let (newest, applied) = (head.sequence.rawValue, position.sequence.rawValue)
        return newest > applied ? newest - applied : 0
    }

    /// How long ago a node reported its metrics: others may have taken longer.
    func age(of node: NodeID) -> UInt64? {
        told.toldAt[node].map { $0.duration(to: .now).wholeMilliseconds }
    }
}
