import CacheInvalidation
import CacheModel

/// The longest lease that the store says was granted. The next leader waits for its end.
///
/// A longer one is stored before it is granted; a shorter one once no node can hold the longer one
/// any more. One write is under way at a time, so its outcome is the newest.
struct StoredLease {
    /// The longest lease that may be granted: the store has it, or a longer one, whatever becomes
    /// of the write under way.
    private(set) var kept: Duration
    /// What the store has; `nil`: nothing, or it is not known.
    private var stored: Duration?
    private var underWay: Duration?
    private var stamp: StampedLease?
    /// No write begins before this time: the last one was refused.
    private var notBefore = Instant(nanoseconds: 0)

    /// - Parameter inherited: what the store says; `nil`: nothing.
    init(inherited: Duration?) {
        kept = inherited ?? .zero
        stored = inherited
    }

    /// Leases of this length are wanted from now on.
    ///
    /// - Returns: what is to be stored now; `nil`: nothing.
    mutating func next(wanting wanted: Duration, now: Instant) -> Duration? {
        let longest = longest(wanting: wanted, now: now)
        guard underWay == nil, longest != stored, notBefore <= now else { return nil }
        underWay = longest
        kept = min(kept, longest)
        return longest
    }

    private mutating func longest(wanting wanted: Duration, now: Instant) -> Duration {
        let milliseconds = UInt32(clamping: wanted.wholeMilliseconds)
        let inherited = UInt32(clamping: (stored ?? .zero).wholeMilliseconds)
        var stamp = stamp ?? StampedLease(milliseconds, inherited: inherited, now: now)
        _ = stamp.grants(milliseconds, now: now)
        _ = stamp.shrink(at: now)
        self.stamp = stamp
        return .milliseconds(Int64(stamp.milliseconds))
    }

    /// The write under way has an outcome.
    mutating func ended(isStored: Bool, now: Instant) {
        guard let value = underWay else { return }
        underWay = nil
        stored = isStored ? value : nil
        if isStored { kept = value } else { notBefore = now.advanced(by: SharedLogLimits.pauseMax) }
    }
}
