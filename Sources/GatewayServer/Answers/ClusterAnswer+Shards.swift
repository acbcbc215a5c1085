import CacheHTTP
import CacheModel
import MartletClient

/// What is told of each shard beside what is told of its node.
extension ClusterAnswer {
    /// The figures that differ between the shards of a node, and that an operator wants to see side
    /// by side. All others are there as the node's sums.
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
            // As text: it has 64 bits, and is there to be compared.
            ("incarnation", .optional(shard.figures["incarnation"]) { .text("\($0)") }),
            ("state", .text(shard.state.description)),
            ("reason", .optional(reason) { .text("\($0)") }),
            ("applied", .text("\(shard.position)")),
            ("lag", .optional(lag(of: shard.position), JSONDocument.unsigned)),
            ("lease_ms", .optional(shard.figures["lease_left_ms"], JSONDocument.unsigned)),
            ("figures", .object(figures)),
        ])
    }

    /// How many records lie between a position and the head; `nil` where that is unknown: the
    /// publisher does not tell its head, or the position is of another log.
    func lag(of position: LogPosition?) -> UInt64? {
        guard let head = snapshot?.position, let position, head.epoch == position.epoch else {
            return nil
        }
        // The head was asked for at about the same time, not at the same.
        let (newest, applied) = (head.sequence.rawValue, position.sequence.rawValue)
        return newest > applied ? newest - applied : 0
    }

    /// How long ago a node told its figures: others may have taken longer.
    func age(of node: NodeID) -> UInt64? {
        told.toldAt[node].map { $0.duration(to: .now).wholeMilliseconds }
    }
}
