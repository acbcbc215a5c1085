import CacheMemory
import CacheModel
import CacheWire

/// What a node that had to forget asks of the publisher, part by part: what was touched since the
/// place that every shard had reached?
///
/// An answer counts only if it is about the same epoch of the same log, knows everything since that
/// place, and reaches at least to where the node went on. Later parts may tell of later records:
/// more is hidden, never less.
struct FloorsQuest: Sendable {
    let log: LogID
    /// What every shard had obeyed before it forgot.
    let reached: LogMark
    /// From where the node went on.
    let goesOnFrom: LogMark
    private let givenUpAt: Instant
    private(set) var touched = TouchedScopes()
    private(set) var nextBucket = 0
    private(set) var requestID: UInt64 = 0
    private(set) var askedAt: Instant?

    private let guards: Guards

    init(
        log: LogID, reached: LogMark, goesOnFrom: LogMark, now: Instant, guards: Guards = .all
    ) {
        self.guards = guards
        self.log = log
        self.reached = reached
        self.goesOnFrom = goesOnFrom
        givenUpAt = now.advanced(by: NodeControlLimits.floorsPatience)
    }

    func isOver(now: Instant) -> Bool { givenUpAt <= now }

    /// Whether a question is to be sent: none is under way, or the one that is counts as lost.
    func isDue(now: Instant) -> Bool {
        askedAt.map { $0.advanced(by: NodeControlLimits.floorsRetry) <= now } ?? true
    }

    /// When something is to be done though nothing arrives.
    var deadline: Instant {
        min(givenUpAt, askedAt?.advanced(by: NodeControlLimits.floorsRetry) ?? givenUpAt)
    }

    mutating func asked(requestID: UInt64, now: Instant) {
        self.requestID = requestID
        askedAt = now
    }

    enum Progress: Equatable {
        case more
        case done
        /// It says nothing about this place.
        case useless
    }

    /// Takes the part that was asked for.
    mutating func take(_ part: FloorSnapshotPart) -> Progress {
        let reachesBack = part.completeSince <= reached.position.sequence
        guard part.log == log, part.asOf.position.epoch == reached.position.epoch,
            part.asOf.position >= goesOnFrom.position,
            reachesBack || !guards.isOn(.floorsComplete), part.firstBucket == nextBucket
        else { return .useless }
        // Whatever is told counts, by whichever number: where numbers prove nothing, the publisher
        // tells of lesser ones too.
        if part.everything > .none { touched.insertEverything() }
        for namespace in part.namespaces { touched.insert(namespace.namespace) }
        for prefix in part.prefixes { touched.insert(prefix: prefix.prefix, in: prefix.namespace) }
        for bucket in part.buckets { touched.insert(bucket: bucket.bucket) }
        nextBucket = part.nextBucket
        askedAt = nil
        return part.isLast ? .done : .more
    }
}
