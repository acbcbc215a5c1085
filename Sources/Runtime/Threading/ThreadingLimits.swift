/// Bounds of the threads that own a loop, and of what a process has.
package enum ThreadingLimits {
    /// A thread's stack, if nothing else is said. A system's own default may be 128 KiB.
    package static let stackBytes = 4 << 20
    /// The smallest stack that a thread may be asked with.
    package static let stackBytesMin = 256 << 10
    /// Most descriptors that a process allows itself. Systems without a bound of their own say
    /// numbers that programs which walk through all of them never finish with.
    package static let descriptorsMax = 1 << 20
    /// Between two counts of them.
    package static let descriptorLookInterval = Duration.seconds(5)
    /// From which part of the bound on they are few, and below which there are enough again.
    package static let descriptorAlarmPercent = 80
    package static let descriptorCalmPercent = 70

    /// Which part of the bound is kept for what is no connection of others; no fewer and no more
    /// than this.
    package static let descriptorReserveShare = 8
    package static let descriptorReserve = 8...64

    /// Between two looks at memory that was freed.
    package static let freedLookInterval = Duration.seconds(5)
    /// So much of it is worth giving back, if it is new (``FreedMemoryRule``).
    package static let freedWorthBytes = 32 << 20
    /// Giving back less than this is as good as nothing.
    package static let freedLittleBytes = 4 << 20
    /// The pause after it was given back, at first and at most.
    package static let freedPauseMin = Duration.seconds(60)
    package static let freedPauseMax = Duration.seconds(960)
    /// The pause after a look at free memory, in times of the look's duration, and at most as long
    /// as the other pause: an allocator with very many small pieces takes long, and blocks threads
    /// that allocate.
    package static let freedCostShare = 1_000

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(stackBytes >= stackBytesMin, "what is usual is allowed")
        precondition(
            descriptorCalmPercent < descriptorAlarmPercent && descriptorAlarmPercent < 100,
            "the alarm comes before the bound, and not at every connection")
        precondition(
            freedLookInterval < freedPauseMin && freedPauseMin <= freedPauseMax,
            "a pause is longer than what is between two looks, and does not shrink")
        precondition(freedLittleBytes < freedWorthBytes, "what is worth it is not little")
    }
}
