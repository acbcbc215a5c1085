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

    /// The request for the next part.
    func request(by incarnation: Incarnation) -> FloorsRequest {
        FloorsRequest(
            incarnation: incarnation, log: log, applied: reached, firstBucket: nextBucket)
    }

    /// When to act if nothing arrives.
    var nextDeadline: Instant { min(endsAt, retryAt ?? endsAt) }

    mutating func sent(requestID: UInt64, now: Instant) {
        self.requestID = requestID
        sentAt = now
    }

    /// The request is not answered any more: it is due again.
    mutating func dropRequest() { sentAt = nil }

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

/// The floors that a node requests, if it does: one query at most, to its end.
struct FloorsRequests: Sendable {
    /// What is to be done.
    enum Step {
        case request(FloorsQuery)
        case settle(Outcome)
    }

    /// The end of a query. Without the touched scopes these cannot be determined.
    struct Outcome {
        let query: FloorsQuery
        let touched: TouchedScopes?

        var isLearned: Bool { touched != nil }

        var actions: [NodeControlAction] {
            let since = query.reached.position
            return [
                .settle(touched: touched, from: query.continuedFrom),
                .report(isLearned ? .floorsLearned(since: since) : .floorsUnknown(since: since)),
            ]
        }
    }

    private var query: FloorsQuery?

    init(_ query: FloorsQuery? = nil) { self.query = query }

    var isPending: Bool { query != nil }

    /// When to act if nothing arrives.
    var nextDeadline: Instant? { query?.nextDeadline }

    mutating func sent(requestID: UInt64, now: Instant) {
        query?.sent(requestID: requestID, now: now)
    }

    /// The request under way is not answered any more: it is due again.
    mutating func dropRequest() { query?.dropRequest() }

    /// What is due now, of a node that the publisher knows.
    mutating func next(isJoined: Bool, now: Instant) -> Step? {
        guard let query else { return nil }
        if query.isOver(now: now) { return settle(query, nil) }
        return isJoined && query.isDue(now: now) ? .request(query) : nil
    }

    /// Handles an answer. One to another request is ignored.
    mutating func receive(
        _ part: FloorSnapshotPart, requestID: UInt64, isJoined: Bool, now: Instant
    ) -> Step? {
        guard var current = query, current.requestID == requestID else { return nil }
        let progress = current.receive(part)
        query = current
        switch progress {
        case .more: return next(isJoined: isJoined, now: now)
        case .done: return settle(current, current.touched)
        case .useless: return settle(current, nil)
        }
    }

    /// The publisher declines. If it is busy, the request is repeated; any other refusal is final.
    mutating func refused(_ code: ErrorCode?, requestID: UInt64) -> Step? {
        guard let query, query.requestID == requestID, code != .busy else { return nil }
        return settle(query, nil)
    }

    private mutating func settle(_ query: FloorsQuery, _ touched: TouchedScopes?) -> Step {
        self.query = nil
        return .settle(Outcome(query: query, touched: touched))
    }
}
