import CacheModel

/// Segments are withdrawn from the ring while the file system is short of space, and return later.
///
///     free ── mark and hole ──▶ leaving ── done ──▶ withdrawn: skipped
///      ▲                           │ refused           │ enough is free, and it is ahead
///      └── mark removed ── returning ◀── reserved ─────┘
///
/// A place is marked in the file exactly while log numbers that fall on it are skipped: both
/// changes are completed while no number falls on it, and the log does not pass it meanwhile.
struct TierSpace {
    /// A place that is leaving the ring or returning to it. It is in the ring and not free, so the
    /// log does not pass it.
    enum Move: Equatable {
        /// Its mark is written and its space released.
        case withdrawing(Int)
        /// Its space is reserved.
        case reserving(Int)
        /// Its mark is removed.
        case unmarking(Int)
    }

    /// `nil`: no segment is released, and withdrawn ones return.
    var rule: DiskSpaceRule? {
        didSet { (withdrawalsLeft, mayReturn) = (0, false) }
    }
    private(set) var move: Move?
    /// Withdrawals due by the last measurement and not started.
    private var withdrawalsLeft = 0
    /// Whether the last measurement allows one place to return.
    private var mayReturn = false
    /// No place is reserved before this time, because the last reservation failed.
    private var retryAt = TierTime(milliseconds: 0)
    /// No place is withdrawn before this time, because the last release failed.
    private var withdrawAt = TierTime(milliseconds: 0)
    /// The file system does not support holes.
    private var isRefused = false

    /// The place that is changing, if any.
    var moving: Int? {
        switch move {
        case .withdrawing(let place), .reserving(let place), .unmarking(let place): place
        case nil: nil
        }
    }

    /// As ``DiskTier/noteFreeBytes(_:)``.
    mutating func noteFreeBytes(_ bytes: Int, _ geometry: DiskGeometry) {
        guard let rule, geometry.releasableBytes > 0 else { return }
        let missing = isRefused ? 0 : rule.missingSegments(freeBytes: bytes, geometry)
        withdrawalsLeft = min(missing, DiskLimits.withdrawalsPerMeasurement)
        mayReturn = rule.hasRoom(freeBytes: bytes, geometry)
    }

    /// Places that were withdrawn and are not free again.
    func unusedCount(_ log: borrowing RecordLog) -> Int {
        let isReturning = moving.map { log.segments[$0].use == .returning } ?? false
        return log.ring.outsideCount + (isReturning ? 1 : 0)
    }

    /// Whether so many segments after the active one are free, without a place that is leaving or
    /// returning.
    func willBeFree(ahead count: Int, _ log: borrowing RecordLog) -> Bool {
        guard let moving else { return log.isFree(ahead: count) }
        let isPassed = (1...count).contains {
            log.place(of: log.ring.number(after: log.active, by: $0)) == moving
        }
        return log.isFree(ahead: isPassed ? count + 1 : count)
    }

    /// Whether the oldest segment is to be emptied to withdraw it.
    func isShrinking(_ log: borrowing RecordLog) -> Bool {
        withdrawalsLeft > 0 && log.ring.count > log.geometry.segmentCountMin
    }

    func canWithdraw(_ log: borrowing RecordLog) -> Bool {
        isShrinking(log) && move == nil && log.now >= withdrawAt && log.hasFreeSegments
    }

    /// Starts to withdraw a place, or to return one.
    mutating func slice(_ log: inout RecordLog) {
        if canWithdraw(log) {
            withdraw(Self.lastFree(log), &log)
        } else if move == nil, log.ring.outsideCount > 0, !isShrinking(log),
            rule == nil || mayReturn, log.now >= retryAt, let place = Self.returnable(log)
        {
            mayReturn = false
            log.segments[place].use = .returning
            reserve(place, &log)
        }
    }

    /// The free place that the log would reach last.
    ///
    /// - Precondition: ``canWithdraw(_:)``.
    private static func lastFree(_ log: borrowing RecordLog) -> Int {
        var steps = log.freeSegmentsMin + 1
        while steps < log.ring.count, log.isFree(ahead: steps + 1) { steps += 1 }
        return log.place(of: log.ring.number(after: log.active, by: steps))
    }

    private mutating func withdraw(_ place: Int, _ log: inout RecordLog) {
        withdrawalsLeft -= 1
        move = .withdrawing(place)
        // Without a number: reads from it are void.
        log.segments[place] = SegmentState(use: .leaving)
        Self.writeMark(place, &log)
        Self.release(place, .releasing(place), &log)
    }

    private static func writeMark(_ place: Int, _ log: inout RecordLog) {
        let mark = WithdrawalMark(place: place).encoded(log.seal)
        log.write(mark, at: log.geometry.markOffset(place))
    }

    private static func release(_ place: Int, _ errand: Errand, _ log: inout RecordLog) {
        let range = log.geometry.releasable(place)
        log.errands.commands.append(
            .release(log.ticket(errand), byteCount: range.count, at: range.lowerBound))
    }

    /// The place has released its space, or keeps it: the file system supports no holes, or has no
    /// space to record one. A part may be released then, so it is reserved before use.
    ///
    /// - Returns: why no segment is released any more.
    mutating func finishRelease(
        _ place: Int, _ outcome: DiskCompletion.Outcome, _ log: inout RecordLog
    ) -> DiskFailure? {
        guard case .failed(let failure) = outcome else {
            move = nil
            log.ring.remove(place)
            log.segments[place].use = .withdrawn
            log.statistics.withdrawnSegments += 1
            return nil
        }
        withdrawalsLeft = 0
        isRefused = isRefused || failure == .unsupported
        if failure != .unsupported {
            withdrawAt = log.now.later(by: DiskLimits.spaceRetryMilliseconds)
        }
        reserve(place, &log)
        return failure == .unsupported ? failure : nil
    }

    // MARK: Returning

    /// A withdrawn place between the newest segment and the oldest: behind the next free one, so
    /// that the log need not wait for it; else the first, if removals fit meanwhile.
    ///
    /// - Complexity: O(places).
    private static func returnable(_ log: borrowing RecordLog) -> Int? {
        let mayWait = !log.canBegin || log.active != .none && log.fits(log.removalReserve)
        let end = log.tail.state.oldest.rawValue + UInt64(log.geometry.segmentCount)
        var first: Int?
        var hasPassedFree = false
        var number = log.active.next
        while number.rawValue < end {
            let place = log.place(of: number)
            if log.segments[place].use == .free { hasPassedFree = true }
            if log.segments[place].use == .withdrawn {
                if hasPassedFree { return place }
                first = first ?? place
            }
            number = number.next
        }
        return mayWait ? first : nil
    }

    private mutating func reserve(_ place: Int, _ log: inout RecordLog) {
        move = .reserving(place)
        log.ring.insert(place)
        let range = log.geometry.releasable(place)
        log.errands.commands.append(
            .reserve(log.ticket(.reserving(place)), byteCount: range.count, at: range.lowerBound))
    }

    /// The place has its space again, or the file system has none.
    mutating func finishReserve(
        _ place: Int, _ outcome: DiskCompletion.Outcome, _ log: inout RecordLog
    ) {
        if case .failed = outcome {
            move = nil
            log.ring.remove(place)
            log.segments[place].use = .withdrawn
            retryAt = log.now.later(by: DiskLimits.spaceRetryMilliseconds)
            // A part of it may be reserved.
            return Self.release(place, .releasedAgain, &log)
        }
        // The place is used only once its mark is gone: with a mark, its content would be skipped
        // after a restart.
        move = .unmarking(place)
        log.write(WithdrawalMark.erased, for: .unmarking(place), at: log.geometry.markOffset(place))
    }

    mutating func finishUnmark(_ place: Int, _ log: inout RecordLog) {
        move = nil
        log.segments[place] = SegmentState()
    }

    // MARK: Beginning

    /// Starts a new tier with space for its first segments only.
    static func begin(withRoomFor count: Int, _ log: inout RecordLog) {
        let all = log.geometry.segmentCount
        let places = min(all, max(log.geometry.segmentCountMin, count))..<all
        log.ring = SegmentRing(all, outside: places)
        for place in places {
            log.segments[place].use = .withdrawn
            writeMark(place, &log)
        }
    }

    /// Releases the withdrawn places again: the process may have ended between a mark and its hole.
    func goOnWithoutWithdrawn(_ log: inout RecordLog) {
        for place in log.segments.indices where !log.ring.contains(place) {
            log.segments[place] = SegmentState(use: .withdrawn)
            if rule != nil { Self.release(place, .releasedAgain, &log) }
        }
    }
}

extension DiskGeometry {
    func markOffset(_ place: Int) -> Int {
        segmentsOffset + place * segmentBytes + WithdrawalMark.offset
    }
}
