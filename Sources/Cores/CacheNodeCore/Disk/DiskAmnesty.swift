import CacheDisk
import CacheMemory
import CacheModel

/// What lay on the disk when the log had been trimmed past where its shard was, and what has been
/// touched since: what was not is as good as new.
///
///     TRUNCATED ─▶ hidden, all of it ──floor snapshot──▶ what nothing touched is shown
///                       │ none                              │ the ring has gone round
///                       ▼                                   ▼
///                     reset                                 over
struct DiskAmnesty {
    /// Every record of the log up to here is applied to what is on disk. Checkpoints keep this mark
    /// and report a gap: a later run has to ask again.
    let since: LogMark
    /// What was filled below it is judged; what was later is not concerned.
    private(set) var below: UInt64
    /// Whether the names have not been received yet.
    private(set) var isAwaited = true
    /// Checkpoints that have to come back before one of them tells of the gap.
    private var checkpointsLeft: Int
    /// The newest segment that may hold something filled below.
    private(set) var lastSegment: SegmentNumber
    private var touched: TouchedScopes?
    /// `touched`, for as many namespaces as there were.
    private var judge: Amnesty?
    private var judgedCount = 0

    /// - Parameter isCheckpointing: whether a checkpoint is under way, which tells of none yet.
    init(
        since: LogMark, goingOnFrom mark: LogMark, in segment: SegmentNumber, isCheckpointing: Bool
    ) {
        self.since = since
        checkpointsLeft = isCheckpointing ? 2 : 1
        below = mark.position.sequence.rawValue
        lastSegment = segment
    }

    /// The log was trimmed past the shard once more.
    mutating func extend(goingOnFrom mark: LogMark, in segment: SegmentNumber) {
        below = max(below, mark.position.sequence.rawValue)
        isAwaited = true
        stay(segment)
    }

    /// Whether a checkpoint tells of the gap.
    var isSaid: Bool { checkpointsLeft == 0 }

    /// A checkpoint has been written.
    ///
    /// - Returns: whether it is the first that tells of the gap.
    mutating func noteCheckpoint() -> Bool {
        guard checkpointsLeft > 0 else { return false }
        checkpointsLeft -= 1
        return checkpointsLeft == 0
    }

    /// What was filled below may lie in this segment too.
    mutating func stay(_ segment: SegmentNumber) { lastSegment = max(lastSegment, segment) }

    mutating func settle(_ more: TouchedScopes) {
        isAwaited = false
        touched = touched?.union(more) ?? more
        judge = nil
    }

    /// Whether nothing has touched an entry that was filled below.
    ///
    /// - Parameter names: of all namespaces, by number.
    mutating func covers(
        _ entry: DiskEntry, in number: NamespaceNumber, _ names: [Namespace], _ guards: Guards
    ) -> Bool {
        guard let touched else { return false }
        if judge == nil || judgedCount < names.count {
            judge = Amnesty(touched, namespaces: names, guards: guards)
            judgedCount = names.count
        }
        return judge?.covers(entry.key, tags: entry.tags, in: number) ?? false
    }
}

extension ShardDisk {
    /// The log was trimmed past the shard. What is on disk is hidden until the touched names are
    /// received, or it is reset.
    ///
    /// - Parameter mark: where the shard was; every record up to there was applied.
    func awaitAmnesty(since mark: LogMark, goingOnFrom next: LogMark) {
        if trust.amnesty == nil {
            trust.amnesty = DiskAmnesty(
                since: mark, goingOnFrom: next, in: tier.newestSegment,
                isCheckpointing: checkpoints.isUnderWay)
            checkpoints.hasten()
        } else {
            trust.amnesty?.extend(goingOnFrom: next, in: tier.newestSegment)
        }
        // The snapshot tells of everything up to there, and of the same log.
        trust.stopAwaiting()
        tier.movedShareMax = 0
    }

    /// - Parameter touched: since the mark that the amnesty is asked for; `nil` if they are
    ///   unknown.
    func settleAmnesty(_ touched: TouchedScopes?) {
        guard trust.amnesty?.isAwaited == true else { return }
        if let touched { trust.amnesty?.settle(touched) } else { reset() }
    }

    /// Ends an amnesty once nothing is left that it could concern: the ring has let go of it.
    ///
    /// - Returns: whether it has just ended.
    func endAmnesty() -> Bool {
        guard trust.amnesty?.isAwaited == false else { return false }
        trust.amnesty?.stay(tier.isMoving ? tier.newestSegment : tier.newestMove)
        guard let amnesty = trust.amnesty, tier.oldestSegment > amnesty.lastSegment, !tier.isMoving
        else {
            return false
        }
        trust.amnesty = nil
        tier.movedShareMax = DiskLimits.movedShareMax
        return true
    }
}
