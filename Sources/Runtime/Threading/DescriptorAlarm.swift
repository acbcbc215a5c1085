package import CacheModel

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
