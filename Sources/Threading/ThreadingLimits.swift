/// Bounds of the threads that own a loop.
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

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(stackBytes >= stackBytesMin, "what is usual is allowed")
        precondition(
            descriptorCalmPercent < descriptorAlarmPercent && descriptorAlarmPercent < 100,
            "the alarm comes before the bound, and not at every connection anew")
    }
}
