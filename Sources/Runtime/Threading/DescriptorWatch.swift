package import CacheModel

/// Counts this process's descriptors now and then. Belongs to a loop, which says what comes of it.
package struct DescriptorWatch {
    /// What was seen, and what of it is for the log.
    package struct Look: Sendable {
        package let usage: DescriptorUsage
        package let notice: DescriptorAlarm.Notice?
    }

    private var alarm = DescriptorAlarm()
    /// When it looks next: at once at first.
    package private(set) var nextLook = Instant(nanoseconds: 0)

    package init() {}

    /// - Returns: `nil` if it is not time yet, or the system does not tell.
    package mutating func look(now: Instant) -> Look? {
        guard now >= nextLook else { return nil }
        nextLook = now.advanced(by: ThreadingLimits.descriptorLookInterval)
        guard let usage = Descriptors.usage else { return nil }
        return Look(usage: usage, notice: alarm.note(usage))
    }
}
