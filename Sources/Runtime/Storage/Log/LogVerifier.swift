import CacheInvalidation
import CacheModel
import Threading

/// Proves sealed segments of an earlier process on the log's thread, the newest first. It does so a
/// piece at a time and with rests between, so that no append waits long for it.
struct LogVerifier {
    private let shelf: Guarded<LogShelf>
    private let faults: LogFaults
    private var check: SegmentCheck?
    private var isOver = false
    private var due: Instant

    init(_ shelf: Guarded<LogShelf>, faults: LogFaults, now: Instant) {
        self.shelf = shelf
        self.faults = faults
        due = now
    }

    /// How long the thread may sleep; `nil` where everything is proven.
    func patience(at now: Instant) -> Duration? {
        isOver ? nil : due.elapsed(since: now)
    }

    /// Proves a piece, if it is time.
    ///
    /// - Returns: the damage that it found; the segment has left the log.
    mutating func tick(now: Instant) -> LogDamage? {
        guard !isOver, due <= now else { return nil }
        due = now.advanced(by: LogFilesLimits.proofRest)
        guard var current = wanted else {
            isOver = true
            return nil
        }
        let outcome = current.step(LogFilesLimits.proofBytes)
        check = current
        return current.note(outcome, on: shelf)
    }

    /// The check under way, unless the other thread has proven its segment, or it has left
    /// meanwhile.
    private var wanted: SegmentCheck? {
        let newest = shelf.withLock { $0.newestSealed }
        guard let newest else { return nil }
        if let check, check.segment.header == newest.header { return check }
        return SegmentCheck(newest, faults: faults)
    }
}
