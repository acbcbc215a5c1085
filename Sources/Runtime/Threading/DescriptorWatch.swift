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

/// Says once that descriptors become few, and once that there are enough again.
///
///      below 70 %            80 %
///      ──────────┬────────────┬──────▶ of the bound
///                │            └─ alarm, if there was none since the last all-clear
///                └─ all-clear, if there was an alarm
package struct DescriptorAlarm {
    /// For the log.
    package struct Notice: Hashable, Sendable {
        package let usage: DescriptorUsage
        /// Whether they become few; otherwise there are enough again.
        package let isAlarm: Bool

        /// What it is, and what to do.
        package var sentence: String {
            let count = "\(usage.open) of \(usage.max) descriptors"
            guard isAlarm else { return "\(count) are in use: there is room again" }
            return "\(count) are in use, and at the limit no client can connect any more: raise "
                + "the hard limit (LimitNOFILE= of systemd, ulimit -Hn) and restart, or find the "
                + "clients with so many connections"
        }
    }

    private var isRaised = false

    package init() {}

    /// - Returns: what is to be said; `nil` if nothing new is.
    package mutating func note(_ usage: DescriptorUsage) -> Notice? {
        let isChanged =
            isRaised
            ? !usage.isAtLeast(percent: ThreadingLimits.descriptorCalmPercent)
            : usage.isAtLeast(percent: ThreadingLimits.descriptorAlarmPercent)
        guard isChanged else { return nil }
        isRaised.toggle()
        return Notice(usage: usage, isAlarm: isRaised)
    }
}
