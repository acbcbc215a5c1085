/// How many descriptors a process has open, and how many it may have: each connection uses one, as
/// do files and the wake-up channels of threads. At the limit no connection is accepted.
package struct DescriptorUsage: Hashable, Sendable {
    package let open: Int
    package let max: Int

    /// No system has a higher limit.
    private static let countReach = 1 << 40

    /// - Parameters: numbers below zero count as zero, a limit below one as one, and numbers above
    ///   any system's limit as 2⁴⁰.
    package init(open: Int, max: Int) {
        self.open = Swift.min(Swift.max(open, 0), Self.countReach)
        self.max = Swift.min(Swift.max(max, 1), Self.countReach)
    }

    /// Whether it has at least that percentage of its limit open.
    package func isAtLeast(percent: Int) -> Bool {
        open * 100 >= max * percent
    }
}
