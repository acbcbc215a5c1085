import CacheModel
import HeapModule

/// How it stands between the queue and one namespace's origin.
struct NamespaceReplay: Sendable {
    /// Heads of keys that may be replayed, the oldest first; some may have left.
    private var ready = Heap<UInt64>()
    /// Replays under way.
    var tryingCount = 0
    /// Until when the origin is left alone; `nil`: it takes writes, as far as is known.
    private(set) var restsUntil: Instant?
    private var failureCount = 0

    var isOpen: Bool { restsUntil == nil }
    var hasReady: Bool { !ready.isEmpty }

    mutating func add(_ number: WriteNumber) { ready.insert(number.rawValue) }

    /// - Complexity: O(log n).
    mutating func takeOldest() -> WriteNumber? { ready.popMin().map(WriteNumber.init) }

    /// How many replays may begin now: many at an origin that answers, one to find out whether it
    /// does.
    func roomCount(now: Instant) -> Int {
        guard let restsUntil else { return WriteLimits.replaysMax - tryingCount }
        return restsUntil <= now && tryingCount == 0 ? 1 : 0
    }

    /// It has answered.
    mutating func heard() {
        restsUntil = nil
        failureCount = 0
    }

    /// It has not. Failures of attempts that were under way together count as one.
    mutating func failed(asked: Duration?, now: Instant, _ jitter: inout Jitter) {
        if let restsUntil, now < restsUntil { return }
        let doublings = min(failureCount, 16)
        let rest = min(WriteLimits.restBase * (1 << doublings), WriteLimits.restMax)
        let demanded = min(asked ?? .zero, WriteLimits.restAskedMax)
        failureCount += 1
        restsUntil = now.advanced(
            by: max(jitter.around(rest, by: WriteLimits.restJitter), demanded))
    }

    /// It may be another origin now.
    mutating func endRest(now: Instant) {
        if restsUntil != nil { restsUntil = now }
    }
}
