package import CacheModel

/// When memory that was freed is given back to the system. It decides, and nothing else.
///
///     every look      more than 32 MiB, and no pause     freed
///     resident, now ──────▶ the allocator is asked ────────────▶ 32 MiB or more, and new,
///                                    ▲                           at two looks: give
///                                    │                                    │
///                                    └───── a pause ──────────────────────┘
///
/// An allocator counts what it gave back as free all the same, until it is used again. So what it
/// counts says only what there may be to give. *New* is what is counted beyond what was when all of
/// it had been given, or less since; or, as it may have been used and freed again between two
/// looks, all of it where more is resident than then by an eighth and 32 MiB.
///
/// The second is also so where other memory has grown, of which the allocator knows nothing. Then
/// nothing comes of giving, which costs little and is not repeated until as much more has come.
///
/// A process that frees much and allocates it again would pay for its pages each time. So a pause
/// follows each return of memory. The pause is twice as long if as much was free again soon after
/// the last.
package struct FreedMemoryRule {
    /// What was resident, and what was free, when all of it had been given, or less since.
    private var residentBase = 0
    private var freedBase = 0
    private var isRisen = false
    private var lastFreed = 0
    private var hasSeenMuch = false
    private var pause = Duration.zero
    private var pauseEnd = Instant(nanoseconds: 0)
    private var costEnd = Instant(nanoseconds: 0)

    package init() {}

    /// Whether the allocator is to be asked how much is free.
    ///
    /// - Parameter resident: bytes of the process that are in memory.
    package mutating func asks(resident: Int, now: Instant) -> Bool {
        residentBase = min(residentBase, resident)
        isRisen = resident > residentBase + residentBase / 8 + ThreadingLimits.freedWorthBytes
        return resident > ThreadingLimits.freedWorthBytes && now >= max(pauseEnd, costEnd)
    }

    /// Whether what is free is to be given back. After ``asks(resident:now:)``.
    ///
    /// - Parameter freed: bytes, as the allocator counts them.
    package mutating func gives(freed: Int) -> Bool {
        (freedBase, lastFreed) = (min(freedBase, freed), freed)
        let new = isRisen ? freed : freed - freedBase
        let isMuch = new >= ThreadingLimits.freedWorthBytes
        defer { hasSeenMuch = isMuch }
        return isMuch && hasSeenMuch
    }

    /// It was given back.
    ///
    /// - Parameters:
    ///   - bytes: by which the process is smaller.
    ///   - resident: what is in memory now.
    package mutating func note(givenAt now: Instant, bytes: Int, resident: Int) {
        let isAgain =
            now < pauseEnd.advanced(by: pause) && bytes >= ThreadingLimits.freedLittleBytes
        pause =
            isAgain
            ? min(pause * 2, ThreadingLimits.freedPauseMax) : ThreadingLimits.freedPauseMin
        pauseEnd = now.advanced(by: pause)
        (residentBase, freedBase) = (resident, lastFreed)
        hasSeenMuch = false
    }

    /// The allocator was asked, and perhaps gave, until now.
    ///
    /// - Parameter time: how long that took.
    package mutating func note(cost time: Duration, until now: Instant) {
        // Before it is multiplied: a machine may have slept meanwhile.
        let counted = min(time, ThreadingLimits.freedPauseMax / ThreadingLimits.freedCostShare)
        costEnd = now.advanced(by: counted * ThreadingLimits.freedCostShare)
    }
}
