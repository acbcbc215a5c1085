/// Segments are withdrawn from the ring while the file system is short of space, and return later.
///
///     free ── mark and hole ──▶ leaving ── done ──▶ withdrawn: skipped
///      ▲                           │ refused           │ enough is free, and it is ahead
///      └── mark removed ── returning ◀── reserved ─────┘
///
/// A place is marked in the file exactly while log numbers that fall on it are skipped: both
/// changes are completed while no number falls on it, and the log does not pass it meanwhile.
extension DiskTier {
    /// The free space that the tier leaves on its file system; `nil` if it keeps all its space.
    package var spaceRule: DiskSpaceRule? {
        get { space.rule }
        set {
            space.rule = newValue
            (space.withdrawalsLeft, space.mayReturn) = (0, false)
        }
    }

    /// Passes the free bytes of the file system. To be called at most once a second: each call
    /// releases a few segments.
    package mutating func noteFreeBytes(_ bytes: Int) {
        guard let rule = space.rule, geometry.releasableBytes > 0 else { return }
        let missing = space.isRefused ? 0 : rule.missingSegments(freeBytes: bytes, geometry)
        space.withdrawalsLeft = min(missing, DiskLimits.withdrawalsPerMeasurement)
        space.mayReturn = rule.hasRoom(freeBytes: bytes, geometry)
    }

    /// Places that were withdrawn and are not free again.
    private var unusedCount: Int {
        let isReturning = space.moving.map { segments[$0].use == .returning } ?? false
        return space.ring.outsideCount + (isReturning ? 1 : 0)
    }

    /// Bytes of the file that have space.
    package var roomBytes: Int {
        geometry.fileBytes - unusedCount * geometry.releasableBytes
    }

    /// Bytes of the segments that have space.
    package var usedRingBytes: Int {
        (geometry.segmentCount - unusedCount) * geometry.segmentBytes
    }

    /// Whether the whole file has space, and is in use.
    package var isWhole: Bool { unusedCount == 0 }

    /// Whether the oldest segment is to be emptied to withdraw it.
    var isShrinking: Bool {
        space.withdrawalsLeft > 0 && space.ring.count > geometry.segmentCountMin
    }

    /// Whether a place can be withdrawn now.
    var canWithdraw: Bool {
        isShrinking && space.move == nil && now >= space.withdrawAt
            && (1...freeSegmentsMin + 1).allSatisfy { isFree(ahead: $0) }
    }

    /// Starts to withdraw a place, or to return one.
    mutating func spaceSlice(into commands: inout [DiskCommand]) {
        if canWithdraw {
            withdraw(lastFree, into: &commands)
        } else if space.move == nil, space.ring.outsideCount > 0, !isShrinking,
            space.rule == nil || space.mayReturn, now >= space.retryAt, let place = returnable
        {
            space.mayReturn = false
            segments[place].use = .returning
            reserve(place, into: &commands)
        }
    }

    /// The free place that the log would reach last.
    ///
    /// - Precondition: ``canWithdraw``.
    private var lastFree: Int {
        var steps = freeSegmentsMin + 1
        while steps < space.ring.count, isFree(ahead: steps + 1) { steps += 1 }
        return ring(space.ring.number(after: active, by: steps))
    }

    private mutating func withdraw(_ place: Int, into commands: inout [DiskCommand]) {
        space.withdrawalsLeft -= 1
        space.move = .withdrawing(place)
        // Without a number: reads from it are void.
        segments[place] = SegmentState(use: .leaving)
        writeMark(place, into: &commands)
        release(place, .releasing(place), into: &commands)
    }

    func markOffset(_ place: Int) -> Int {
        geometry.segmentsOffset + place * geometry.segmentBytes + WithdrawalMark.offset
    }

    private mutating func writeMark(_ place: Int, into commands: inout [DiskCommand]) {
        write(
            WithdrawalMark(place: place).encoded(seal), at: markOffset(place), into: &commands)
    }

    private mutating func release(
        _ place: Int, _ errand: Errand, into commands: inout [DiskCommand]
    ) {
        let range = geometry.releasable(place)
        commands.append(.release(ticket(errand), byteCount: range.count, at: range.lowerBound))
    }

    /// The place has released its space, or keeps it: the file system supports no holes, or has no
    /// space to record one. A part may be released then, so it is reserved before use.
    mutating func finishRelease(
        _ place: Int, _ outcome: DiskCompletion.Outcome, into commands: inout [DiskCommand],
        news: inout [DiskNews]
    ) {
        guard state == .open else { return }
        if case .failed(let failure) = outcome {
            space.withdrawalsLeft = 0
            if failure == .unsupported {
                space.isRefused = true
                news.append(.spaceKept(failure))
            } else {
                space.withdrawAt = now.later(by: DiskLimits.spaceRetryMilliseconds)
            }
            return reserve(place, into: &commands)
        }
        space.move = nil
        space.ring.remove(place)
        segments[place].use = .withdrawn
        statistics.withdrawnSegments += 1
    }

    // MARK: Returning

    /// A withdrawn place between the newest segment and the oldest: behind the next free one, so
    /// that the log need not wait for it; else the first, if removals fit meanwhile.
    ///
    /// - Complexity: O(places).
    private var returnable: Int? {
        let mayWait = !canBegin || active != .none && fits(removalReserve)
        let end = oldestSegment.rawValue + UInt64(geometry.segmentCount)
        var first: Int?
        var hasPassedFree = false
        var number = active.next
        while number.rawValue < end {
            let place = ring(number)
            if segments[place].use == .free { hasPassedFree = true }
            if segments[place].use == .withdrawn {
                if hasPassedFree { return place }
                first = first ?? place
            }
            number = number.next
        }
        return mayWait ? first : nil
    }

    private mutating func reserve(_ place: Int, into commands: inout [DiskCommand]) {
        space.move = .reserving(place)
        space.ring.insert(place)
        let range = geometry.releasable(place)
        commands.append(
            .reserve(ticket(.reserving(place)), byteCount: range.count, at: range.lowerBound))
    }

    /// The place has its space again, or the file system has none.
    mutating func finishReserve(
        _ place: Int, _ outcome: DiskCompletion.Outcome, into commands: inout [DiskCommand]
    ) {
        guard state == .open else { return }
        if case .failed = outcome {
            space.move = nil
            space.ring.remove(place)
            segments[place].use = .withdrawn
            space.retryAt = now.later(by: DiskLimits.spaceRetryMilliseconds)
            // A part of it may be reserved.
            return release(place, .releasedAgain, into: &commands)
        }
        unmark(place, into: &commands)
    }

    /// The place is used only once its mark is gone: with a mark, its content would be skipped
    /// after a restart.
    private mutating func unmark(_ place: Int, into commands: inout [DiskCommand]) {
        space.move = .unmarking(place)
        statistics.writtenBytes += UInt64(WithdrawalMark.bytes)
        commands.append(
            .write(
                ticket(.unmarking(place)), .owned(WithdrawalMark.erased), at: markOffset(place)))
    }

    mutating func finishUnmark(_ place: Int) {
        space.move = nil
        segments[place] = SegmentState()
    }

    // MARK: Beginning

    /// Starts a new tier with space for its first segments only.
    mutating func beginWithRoom(for count: Int, into commands: inout [DiskCommand]) {
        let least = geometry.segmentCountMin
        let places = min(geometry.segmentCount, max(least, count))..<geometry.segmentCount
        space.ring = SegmentRing(geometry.segmentCount, outside: places)
        for place in places {
            segments[place].use = .withdrawn
            writeMark(place, into: &commands)
        }
    }

    /// Applies the marks of an earlier process.
    ///
    /// - Parameters:
    ///   - places: the marked ones. If they leave too few places, they are ignored.
    ///   - isUsed: whether a place has a segment of the log. Its mark is ignored: the place was
    ///     used after a failed read of the mark.
    mutating func adoptMarks(_ places: [Int], isUsed: (Int) -> Bool) {
        guard geometry.segmentCount - places.count >= DiskLimits.segmentsMin else { return }
        let outside = places.filter { !isUsed($0) }
        space.ring = SegmentRing(geometry.segmentCount, outside: outside)
    }

    /// Releases the withdrawn places again: the process may have ended between a mark and its hole.
    mutating func goOnWithoutWithdrawn(into commands: inout [DiskCommand]) {
        guard !isWhole else { return }
        for place in segments.indices where !space.ring.contains(place) {
            segments[place] = SegmentState(use: .withdrawn)
            if space.rule != nil { release(place, .releasedAgain, into: &commands) }
        }
    }
}
