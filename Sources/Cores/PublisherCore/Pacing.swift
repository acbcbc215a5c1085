import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// One paced invalidation: its scopes, its slices and its progress.
struct Pacing: Hashable {
    let id: PacingID
    /// The principal that asked; unknown if access control is off, and after a restart.
    var principal = PrincipalNumber.unknown
    /// The request: scopes, strength, span and operation id.
    let request: PaceRequest
    /// Number of equal ranges of keys: a power of two.
    let sliceCount: UInt32
    var state = PacingReport.State.running
    /// Slices that are in the log.
    var doneCount: UInt32 = 0
    var first = LogPosition.none
    var last = LogPosition.none
    /// Whether the order is stored. No slice is appended before that.
    var isKept = false
    /// Whether a slice is being appended: the next one waits for it.
    var isUnderWay = false
    /// When the next slice is due: as planned, or a little after the last one.
    private(set) var nextDue: Instant
    private var plannedAt: Instant

    /// - Parameter sliceCount: from an earlier publisher; `nil` to choose one.
    init(_ id: PacingID, _ request: PaceRequest, slices sliceCount: UInt32? = nil, now: Instant) {
        self.id = id
        self.request = request
        let span = Duration.milliseconds(Int64(request.spanMilliseconds))
        self.sliceCount = sliceCount ?? Self.sliceCount(of: span)
        nextDue = now
        plannedAt = now
    }

    /// The plan begins, or continues, now.
    mutating func begin(now: Instant) {
        nextDue = now
        plannedAt = now
    }

    /// Delays the next slice.
    mutating func wait(until moment: Instant) { nextDue = moment }

    /// As many as fit into the span, at most ``PublisherLimits/paceSlicesMax``.
    static func sliceCount(of span: Duration) -> UInt32 {
        var count: UInt32 = 1
        while count * 2 <= PublisherLimits.paceSlicesMax,
            PublisherLimits.paceSliceSpacing * Int(count * 2) <= span
        {
            count *= 2
        }
        return count
    }

    var spacing: Duration {
        .milliseconds(Int64(request.spanMilliseconds)) / Int(sliceCount)
    }

    /// The remaining time, without delays.
    func left(now: Instant) -> Duration {
        guard state == .running, doneCount < sliceCount else { return .zero }
        return max(nextDue.elapsed(since: now), .zero)
            + spacing * Int(sliceCount - doneCount - 1)
    }

    /// The route hashes of one slice.
    func range(ofSlice number: UInt32) -> ClosedRange<UInt64> {
        guard sliceCount > 1 else { return 0...UInt64.max }
        let shift = UInt64(UInt64.bitWidth - sliceCount.trailingZeroBitCount)
        let lower = UInt64(number) << shift
        return lower...(lower | (1 << shift - 1))
    }

    /// The record of the next slice. Its operation id is derived from that of the order, so that a
    /// slice appended before a crash is detected after it.
    var nextSlice: InvalidateRequest {
        let range = range(ofSlice: doneCount)
        let name = request.operation
        var slice = InvalidateRequest(
            scopes: request.scopes.map { Scope($0.target, hashRange: range) },
            strength: request.strength, wait: .none, timeoutMilliseconds: 0,
            operation: OperationID(high: name.high, low: name.low ^ (UInt64(doneCount) + 1)))
        // The issuer is not stored, so a restart loses it.
        slice.issuer = request.issuer ?? .publisher
        return slice
    }

    /// A slice is in the log. The next one follows the plan; if that is behind, it follows after
    /// half of the usual time, so that delays are caught up gradually.
    mutating func appended(at position: LogPosition, now: Instant) {
        isUnderWay = false
        doneCount += 1
        if first == .none { first = position }
        last = max(last, position)
        plannedAt = plannedAt.advanced(by: spacing)
        nextDue = max(plannedAt, now.advanced(by: spacing / 2))
        if doneCount == sliceCount { state = .over }
    }

    func line(isDurable: Bool, now: Instant) -> PacingReport.Line {
        var line = PacingReport.Line(
            id, state, request, isDurable: isDurable, slices: (doneCount, sliceCount))
        line.leftMilliseconds = UInt32(clamping: left(now: now).wholeMilliseconds)
        (line.first, line.last) = (first, last)
        return line
    }
}
