import CacheModel
import HeapModule

/// State of the replay to one namespace's origin, or of the forwarding to a node.
struct NamespaceReplay: Sendable {
    private let restBase: Duration
    private let restMax: Duration
    /// Keys' first writes that may be replayed, the oldest first; some may no longer be queued.
    private var ready = Heap<UInt64>()
    var tryingCount = 0
    /// Until when the origin gets no writes; `nil`: it accepts them, as far as known.
    private(set) var restsUntil: Instant?
    private var failureCount = 0

    /// - Parameters:
    ///   - restBase: the first back-off.
    ///   - restMax: the longest.
    init(
        restBase: Duration = WriteLimits.restBase, restMax: Duration = WriteLimits.restMax
    ) {
        (self.restBase, self.restMax) = (restBase, restMax)
    }

    var isOpen: Bool { restsUntil == nil }
    var hasReady: Bool { !ready.isEmpty }

    mutating func add(_ number: WriteNumber) { ready.insert(number.rawValue) }

    mutating func removeReady() { ready = Heap() }

    /// - Complexity: O(log n).
    mutating func takeOldest() -> WriteNumber? { ready.popMin().map(WriteNumber.init) }

    /// Number of replays that may begin now: many at an origin that answers, one as a probe
    /// otherwise.
    func roomCount(now: Instant) -> Int {
        guard let restsUntil else { return WriteLimits.replaysMax - tryingCount }
        return restsUntil <= now && tryingCount == 0 ? 1 : 0
    }

    mutating func heard() {
        restsUntil = nil
        failureCount = 0
    }

    /// The origin has not answered. Failures of attempts that were under way together count as one.
    mutating func failed(asked: Duration?, now: Instant, _ jitter: inout Jitter) {
        if let restsUntil, now < restsUntil { return }
        let doublings = min(failureCount, 16)
        let rest = min(restBase * (1 << doublings), restMax)
        let demanded = min(asked ?? .zero, WriteLimits.restAskedMax)
        failureCount += 1
        restsUntil = now.advanced(
            by: max(jitter.around(rest, by: WriteLimits.restJitter), demanded))
    }

    /// The origin may be another one now.
    mutating func endRest(now: Instant) {
        if restsUntil != nil { restsUntil = now }
    }
}
