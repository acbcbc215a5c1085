package import CacheModel

/// When memory that was freed is given back to the system. It decides, and nothing else.
///
///     every look    ┌ resident ≤ base × 9/8 + 32 MiB: nothing; base follows it down
///     ──────────────┤
///     resident, now │ more, and no pause              freed
///                   └─▶ the allocator is asked ─────────────▶ 32 MiB or more, twice: give
///                              ▲                                       │
///                              └── a pause, a thousand times ──────────┤
///                                  what the look took, and longer      │ given: base = resident
///
/// An allocator counts what it gave back as free all the same, until it is used again. So what it
/// counts says only whether there may be something to give, and `base` – what was resident when all
/// of it had been given – whether there is anything new.
///
/// Who frees much and allocates it again would pay for its pages each time. So a pause follows
/// what was given, and twice as long a one if as much was there again soon after the last.
package struct FreedMemoryRule {
    private var base = 0
    private var hasSeenMuch = false
    private var pause = Duration.zero
    private var pauseEnd = Instant(nanoseconds: 0)
    private var costEnd = Instant(nanoseconds: 0)

    package init() {}

    /// Whether the allocator is to be asked how much is free.
    ///
    /// - Parameter resident: bytes of the process that are in memory.
    package mutating func asks(resident: Int, now: Instant) -> Bool {
        base = min(base, resident)
        let isHigh = resident > base + base / 8 + ThreadingLimits.freedWorthBytes
        if !isHigh { hasSeenMuch = false }
        return isHigh && now >= max(pauseEnd, costEnd)
    }

    /// Whether what is free is to be given back.
    ///
    /// - Parameter freed: bytes, as the allocator counts them.
    package mutating func gives(freed: Int) -> Bool {
        let isMuch = freed >= ThreadingLimits.freedWorthBytes
        defer { hasSeenMuch = isMuch }
        return isMuch && hasSeenMuch
    }

    /// It was given back.
    ///
    /// - Parameter resident: what is in memory now.
    package mutating func note(givenAt now: Instant, resident: Int) {
        let isAgain = now < pauseEnd.advanced(by: pause)
        pause =
            isAgain
            ? min(pause * 2, ThreadingLimits.freedPauseMax) : ThreadingLimits.freedPauseMin
        pauseEnd = now.advanced(by: pause)
        base = resident
        hasSeenMuch = false
    }

    /// The allocator was asked, and perhaps gave, until now.
    ///
    /// - Parameter time: how long that took.
    package mutating func note(cost time: Duration, until now: Instant) {
        costEnd = now.advanced(by: time * ThreadingLimits.freedCostShare)
    }
}
