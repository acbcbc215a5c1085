import CacheMemory
import CacheModel

/// The log that a shard follows: how far it is applied here, the stamps that order entries by it,
/// and what the node can guarantee meanwhile.
///
///     records ─▶ apply ─▶ applied, and the stamps of entries and floors
///     another log, or a gap ─▶ forget ─▶ a stamp above all others: everything below is hidden
///                                        └─▶ settle, once: what was covered meanwhile is known
///     earlier run on disk ─▶ recover ─▶ resume: where the node starts
///
/// A stamp is a position of the log that is followed now, with the number of logs and epochs that
/// were adopted before: positions of two logs have no order, stamps do.
struct LogFollower {
    /// The log that is followed, as far as reported.
    private(set) var id = LogID.none
    private(set) var applied = LogMark.none
    /// The last record of an invalidation by tag. Its coverage of a value is not known while the
    /// value is loaded.
    private(set) var taggedAt = LogPosition.none
    /// Number of epochs or logs adopted before this one; the upper part of every stamp.
    private(set) var epochOrdinal: UInt16 = 0
    private(set) var history = AppliedHistory()
    /// Where it continued when it forgot, while the names covered meanwhile may still be reported.
    private var pendingFrom: LogMark?
    /// The number of the last request for the head.
    private(set) var headRequest: UInt64 = 0
    /// The node has not determined its starting position: another shard's tier may be less far, and
    /// answers from a later position would have to be withdrawn.
    private(set) var isStartAwaited: Bool
    /// What the node guarantees about its answers.
    var standing = NodeStanding.unheard

    /// - Parameter isStartAwaited: whether an earlier run may have left a position.
    init(isStartAwaited: Bool) {
        self.isStartAwaited = isStartAwaited
    }

    // MARK: Stamps

    /// The stamp of the applied position.
    @inline(__always)
    var appliedStamp: FillStamp { stamp(at: applied.position.sequence) }

    /// The stamp of a record, or of an entry, of the adopted log.
    @inline(__always)
    func stamp(at sequence: SequenceNumber) -> FillStamp {
        FillStamp(epochOrdinal: epochOrdinal, sequence: sequence)
    }

    /// The stamp of a position of the adopted log; ``FillStamp/none`` for one of another epoch.
    @inline(__always)
    func stamp(of position: LogPosition) -> FillStamp {
        position.epoch == applied.position.epoch ? stamp(at: position.sequence) : .none
    }

    /// A stamp as a position of the adopted log; stamps of earlier logs have no position any more.
    @inline(__always)
    func position(of stamp: FillStamp) -> LogPosition {
        stamp.epochOrdinal == epochOrdinal
            ? LogPosition(epoch: applied.position.epoch, sequence: stamp.sequence) : .none
    }

    /// The stamp of what was applied `duration` before `now`, or a little earlier.
    func stamp(at now: Instant, before duration: Duration) -> FillStamp {
        min(stamp(of: history.position(at: now, before: duration)), appliedStamp)
    }

    /// Why a token of another epoch cannot be checked here; `nil` for one of the adopted log.
    func refusal(of token: FillToken) -> StoreRefusal? {
        guard token.position.epoch != applied.position.epoch else { return nil }
        return token.position.epoch < applied.position.epoch ? .tokenTooOld : .behind
    }

    // MARK: Records

    /// One record is applied.
    mutating func apply(_ mark: LogMark) {
        applied = mark
        history.note(mark)
    }

    /// All records that arrived together are applied.
    mutating func finishApplying(now: Instant) { history.note(applied.position, at: now) }

    /// A record of that stamp invalidates a tag.
    mutating func noteTag(at stamp: FillStamp) { taggedAt = position(of: stamp) }

    // MARK: Gaps and other logs

    /// Whether there is no further stamp: a run can distinguish 65 535 adoptions.
    var isExhausted: Bool { epochOrdinal == .max }

    /// Continues at a mark, without the records before it.
    ///
    /// - Parameter isPending: whether the names covered meanwhile may still be reported.
    /// - Returns: the stamp that hides everything filled up to now; once stamps are exhausted, also
    ///   everything filled later.
    mutating func forget(
        continuingFrom mark: LogMark, of id: LogID, isPending: Bool, now: Instant
    ) -> FillStamp {
        let isLast = !stepOn()
        self.id = id
        applied = mark
        pendingFrom = isPending ? mark : nil
        history.restart(at: mark, now: now)
        return isLast ? .last : appliedStamp
    }

    /// Advances the stamp, so that entries stored from now on are above all others.
    ///
    /// - Returns: `false` if there is no further stamp.
    mutating func stepOn() -> Bool {
        guard !isExhausted else { return false }
        epochOrdinal += 1
        return true
    }

    /// The names covered meanwhile are reported.
    ///
    /// - Returns: `false` if the report is about another forgetting than the last.
    mutating func settle(from mark: LogMark) -> Bool {
        guard pendingFrom == mark else { return false }
        pendingFrom = nil
        return true
    }

    /// Reports about an earlier forgetting do not cover a record that this release cannot read.
    mutating func stopPending() { pendingFrom = nil }

    // MARK: An earlier run

    /// Continues an earlier run of this node.
    mutating func recover(_ id: LogID, at mark: LogMark, now: Instant) {
        precondition(applied == .none, "a tier is recovered before anything is applied")
        (self.id, applied) = (id, mark)
        history.goOn(at: mark, now: now)
    }

    /// The node starts at this mark; `nil`: as a new one.
    ///
    /// - Returns: whether the shard was elsewhere.
    mutating func resume(at mark: LogMark?, now: Instant) -> Bool {
        isStartAwaited = false
        let start = mark ?? .none
        // Also where the number is the same and the record is not: one of two logs lost its end;
        // and where the tier has been lost since: the node begins there all the same.
        guard applied != .none, applied != start else { return false }
        applied = start
        history.goOn(at: start, now: now)
        if mark == nil { id = .none }
        return true
    }

    // MARK: The head

    /// - Returns: the number of a new request for the publisher's head.
    mutating func nextHeadRequest() -> UInt64 {
        headRequest += 1
        return headRequest
    }
}

/// The applied positions of the last seconds by time, so that "since then" can be expressed as a
/// position.
///
/// Bounded: one sample for each eighth of a second, of the last minute.
struct AppliedHistory {
    private static let samplesMax = 480
    private static let spacing = Duration.milliseconds(125)

    /// Of the log that is followed.
    private(set) var marks = RecentMarks()
    private var samples: [(position: LogPosition, at: Instant)] = []
    /// When this run continued an earlier one; `nil`: it did not.
    private var wentOnAt: Instant?

    /// Records that everything up to `position` has been applied by `now`.
    mutating func note(_ position: LogPosition, at now: Instant) {
        if let last = samples.last, last.at.advanced(by: Self.spacing) > now { return }
        samples.append((position, now))
        if samples.count > Self.samplesMax { samples.removeFirst(Self.samplesMax / 2) }
    }

    /// Records one mark, whenever it was applied.
    mutating func note(_ mark: LogMark) { marks.note(mark) }

    /// Restarts with another log.
    mutating func restart(at mark: LogMark, now: Instant) {
        samples = [(mark.position, now)]
        marks.restart(at: mark)
        wentOnAt = nil
    }

    /// Continues an earlier run, whose times of application are no longer known.
    mutating func goOn(at mark: LogMark, now: Instant) {
        restart(at: mark, now: now)
        wentOnAt = now
    }

    /// Whether an earlier run may have applied a record in the last `duration` before `now`.
    func reachesIntoEarlierLife(_ duration: Duration, before now: Instant) -> Bool {
        wentOnAt.map { now < $0.advanced(by: duration) } ?? false
    }

    /// A position that was applied `duration` before `now`, or a little earlier; ``none`` if the
    /// history does not reach back so far.
    func position(at now: Instant, before duration: Duration) -> LogPosition {
        samples.last { $0.at.advanced(by: duration) <= now }?.position ?? .none
    }
}
