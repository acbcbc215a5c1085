public import CacheModel

/// What is due in an open loop and has not been sent yet, oldest first.
///
/// Each request waits here from when it is due, so that its latency can count from then. There is
/// room for a second's worth, and at least for 10 000 of all threads. What becomes due while it is
/// full is never sent, and counted: those that wait keep their place, so that a standstill shows in
/// their latencies as long as it was.
public struct ArrivalBacklog: Sendable {
    @usableFromInline package var schedule: ArrivalSchedule
    /// A ring: its length is a power of two.
    @usableFromInline package var ring: [Instant]
    @usableFromInline package var head = 0
    /// How many are due and wait.
    @usableFromInline package var waitingCount = 0
    /// Most that wait at once.
    @usableFromInline package let waitingMax: Int
    /// How many became due so far, sent or not.
    @usableFromInline package var dueCount = 0
    /// How many of them found no room and will never be sent.
    @usableFromInline package var notSentCount = 0
    /// The most that ever waited at once.
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

    /// When the next request becomes due that is not yet.
    @inlinable
    package var nextDue: Instant { schedule.nextDue }

    /// Lets come in what is due by `now`.
    ///
    /// - Parameter end: nothing becomes due at this moment or later.
    /// - Complexity: O(what has become due). It allocates only when more wait than ever did.
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

    /// When the request was due that is to be sent next; `nil` if none waits.
    @inlinable
    package mutating func take() -> Instant? {
        guard waitingCount > 0 else { return nil }
        let due = ring[head]
        head = (head + 1) & (ring.count - 1)
        waitingCount -= 1
        return due
    }

    /// The phase is over: what still waits is never sent, and counted so.
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
