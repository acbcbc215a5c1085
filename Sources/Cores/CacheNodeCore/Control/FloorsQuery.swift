import CacheMemory
import CacheModel
import CacheWire

/// The requests for floors of a node that had to forget: which names were covered by records since
/// the position that every shard had reached? Requested part by part.
///
/// An answer counts only if it is about the same epoch of the same log, is complete since that
/// position, and reaches at least to where the node continued. Later parts may include later
/// records: that hides more, never less.
struct FloorsQuery: Sendable {
    let log: LogID
    /// The position that every shard had applied before it forgot.
    let reached: LogMark
    /// Where the node continued.
    let continuedFrom: LogMark
    private let endsAt: Instant
    private(set) var touched = TouchedScopes()
    private(set) var nextBucket = 0
    private(set) var requestID: UInt64 = 0
    private var sentAt: Instant?
    private let guards: Guards

    init(
        log: LogID, reached: LogMark, continuedFrom: LogMark, now: Instant, guards: Guards = .all
    ) {
        self.guards = guards
        self.log = log
        self.reached = reached
        self.continuedFrom = continuedFrom
        endsAt = now.advanced(by: NodeControlLimits.floorsPatience)
    }

    private var retryAt: Instant? { sentAt?.advanced(by: NodeControlLimits.floorsRetry) }

    func isOver(now: Instant) -> Bool { endsAt <= now }

    /// Whether a request must be sent: none is under way, or the one that is counts as lost.
    func isDue(now: Instant) -> Bool { retryAt.map { $0 <= now } ?? true }

    /// When to act if nothing arrives.
    var nextDeadline: Instant { min(endsAt, retryAt ?? endsAt) }

    mutating func sent(requestID: UInt64, now: Instant) {
        self.requestID = requestID
        sentAt = now
    }

    enum Progress: Equatable {
        case more
        case done
        /// It has no answer for this position.
        case useless
    }

    /// Handles the requested part.
    mutating func receive(_ part: FloorSnapshotPart) -> Progress {
        let reachesBack = part.completeSince <= reached.position.sequence
        guard part.log == log, part.asOf.position.epoch == reached.position.epoch,
            part.asOf.position >= continuedFrom.position,
            reachesBack || !guards.isOn(.floorsComplete), part.firstBucket == nextBucket
        else { return .useless }
        // Every part counts, whatever its sequence numbers: where numbers prove nothing, the
        // publisher includes lower ones too.
        if part.everything > .none { touched.insertEverything() }
        for namespace in part.namespaces { touched.insert(namespace.namespace) }
        for prefix in part.prefixes { touched.insert(prefix: prefix.prefix, in: prefix.namespace) }
        for bucket in part.buckets { touched.insert(bucket: bucket.bucket) }
        nextBucket = part.nextBucket
        sentAt = nil
        return part.isLast ? .done : .more
    }
}
