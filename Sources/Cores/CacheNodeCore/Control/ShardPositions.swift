import CacheModel
import CacheWire

/// The positions that the shards have reported as applied, of which the node claims the lowest.
struct ShardPositions: Sendable {
    /// By shard, since the last forgetting, or as of the start.
    private var marks: [LogMark]
    /// The lowest; ``CacheModel/LogMark/none`` while a shard has yet to report.
    private(set) var applied: LogMark
    /// Where the last forgetting continued, or the node when it started. A lower report was sent
    /// before the shard learned of that, and is ignored.
    private(set) var continuedFrom: LogPosition
    private let guards: Guards

    /// Whether a report may have been sent before this epoch began, and cannot report the current
    /// members; or before records of slots that were jumped over.
    func isOld(_ note: MembersNote, _ epoch: Epoch) -> Bool {
        note.asOf.epoch < epoch || note.isBySlots && note.asOf < continuedFrom
    }

    init(shardCount: Int, at mark: LogMark, guards: Guards = .all) {
        marks = Array(repeating: mark, count: shardCount)
        applied = mark
        continuedFrom = mark.position
        self.guards = guards
    }

    var count: Int { marks.count }

    /// A shard has applied everything up to `mark`.
    ///
    /// - Returns: whether the lowest position changed.
    mutating func report(_ mark: LogMark, of shard: ShardIndex) -> Bool {
        precondition(marks.indices.contains(shard.rawValue), "there is no such shard")
        guard mark.position >= continuedFrom, mark.position >= marks[shard.rawValue].position
        else { return false }
        marks[shard.rawValue] = mark
        let isBehind = { (one: LogMark, other: LogMark) in one.position < other.position }
        let lowest =
            guards.isOn(.leastShard) ? marks.min(by: isBehind) : marks.max(by: isBehind)
        guard let lowest, lowest != applied else { return false }
        applied = lowest
        return true
    }

    /// No shard counts as having reached this position until it reports so.
    mutating func forget(continueFrom position: LogPosition) {
        continuedFrom = position
        applied = .none
        marks = Array(repeating: .none, count: marks.count)
    }
}

/// When the node acknowledges what its shards have applied: at once if a caller may be waiting;
/// otherwise at a limited rate, because acknowledging every record of a steady stream would cost
/// as much as the records.
struct AckSchedule: Sendable {
    /// What the publisher knows to be applied.
    var acknowledged = LogMark.none
    private var acknowledgedAt = Instant(nanoseconds: 0)
    /// Up to here a caller may be waiting.
    var awaitedThrough = LogPosition.none
    /// When to read the positions of shards that were not asked to wake the control thread; `nil`
    /// if none of them is behind as far as known.
    private(set) var pollAt: Instant?

    /// A caller may be waiting until these are applied.
    mutating func expect(_ records: [SealedRecord]) {
        guard let last = records.last else { return }
        awaitedThrough = max(awaitedThrough, last.position)
    }

    /// These are handed to the shards.
    ///
    /// - Returns: whether a caller may be waiting for one of them.
    mutating func handOut(_ records: [SealedRecord], now: Instant) -> Bool {
        let isAwaited = records.first.map { $0.position <= awaitedThrough } ?? false
        if !isAwaited, pollAt == nil {
            pollAt = now.advanced(by: NodeControlLimits.ackSpacing)
        }
        return isAwaited
    }

    /// The shards were read at the beginning of this turn.
    mutating func polled(isAnyBehind: Bool, now: Instant) {
        guard let due = pollAt, due <= now else { return }
        pollAt = isAnyBehind ? now.advanced(by: NodeControlLimits.ackSpacing) : nil
    }

    /// When to acknowledge `applied`; `nil` if the publisher knows it.
    func deadline(for applied: LogMark) -> Instant? {
        guard applied != .none, applied != acknowledged else { return nil }
        guard acknowledged.position >= awaitedThrough else { return Instant(nanoseconds: 0) }
        return acknowledgedAt.advanced(by: NodeControlLimits.ackSpacing)
    }

    mutating func acknowledge(_ applied: LogMark, now: Instant) {
        acknowledged = applied
        acknowledgedAt = now
    }
}
