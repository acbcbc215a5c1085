public import CacheModel

/// The due and unsent requests of an open loop, oldest first.
///
/// Each request waits here from its due time, so that its latency can count from then. The backlog
/// holds one second of requests, and at least 10 000 for all threads together. Requests that become
/// due while it is full are never sent, and are counted. Waiting requests keep their place, so that
/// the full length of a stall shows in their latencies.
public struct ArrivalBacklog: Sendable {
    @usableFromInline package var schedule: ArrivalSchedule
    /// A ring: its length is a power of two.
    @usableFromInline package var ring: [Instant]
    @usableFromInline package var head = 0
    /// Due requests that wait.
    @usableFromInline package var waitingCount = 0
    /// Most waiting requests.
    @usableFromInline package let waitingMax: Int
    /// Requests that became due so far, sent or not.
    @usableFromInline package var dueCount = 0
    /// Due requests that found the backlog full and are never sent.
    @usableFromInline package var notSentCount = 0
    /// The most requests that ever waited at once.
    @usableFromInline package var waitingPeak = 0

    /// - Parameter waitingMax: at least 1; ``waitingMax(perSecond:threadCount:)`` is the rule.
    package init(_ schedule: ArrivalSchedule, waitingMax: Int) {
        precondition(waitingMax > 0, "a request waits at least from one line to the next")
        self.schedule = schedule
        self.waitingMax = waitingMax
        ring = Array(repeating: Instant(nanoseconds: 0), count: 64)
    }

    /// A second of requests, at least 10 000, shared by the threads.
    package static func waitingMax(perSecond: Int, threadCount: Int) -> Int {
        (max(perSecond, WorkloadLimits.backlogMin) + threadCount - 1) / threadCount
    }

    /// When the next future request becomes due.
    @inlinable
    package var nextDue: Instant { schedule.nextDue }

    /// Adds the requests that are due by `now`.
    ///
    /// - Parameter end: no request becomes due at this moment or later.
    /// - Complexity: O(added requests). It allocates only when more requests wait than ever before.
    @inlinable
    package mutating func arrive(by now: Instant, before end: Instant) {
        while schedule.nextDue <= now, schedule.nextDue < end {
            let due = schedule.take()
            dueCount += 1
            guard waitingCount < waitingMax else {
                notSentCount += 1
                continue
            }
            if waitingCount == ring.count { grow() }
            ring[(head + waitingCount) & (ring.count - 1)] = due
            waitingCount += 1
        }
        if waitingCount > waitingPeak { waitingPeak = waitingCount }
    }

    /// The due time of the next request to send; `nil` if none waits.
    @inlinable
    package mutating func take() -> Instant? {
        guard waitingCount > 0 else { return nil }
        let due = ring[head]
        head = (head + 1) & (ring.count - 1)
        waitingCount -= 1
        return due
    }

    /// The phase is over: waiting requests are never sent, and are counted as such.
    package mutating func abandon() {
        notSentCount += waitingCount
        waitingCount = 0
    }

    @usableFromInline
    package mutating func grow() {
        var larger = Array(repeating: Instant(nanoseconds: 0), count: ring.count * 2)
        for index in 0..<waitingCount { larger[index] = ring[(head + index) & (ring.count - 1)] }
        ring = larger
        head = 0
    }
}
