/// How many descriptors a process has open, and how many it may: each connection takes one, as do
/// files and what threads wake each other by. At the bound nobody is let in any more.
package struct DescriptorUsage: Hashable, Sendable {
    package let open: Int
    package let max: Int

    /// No system has more.
    private static let countReach = 1 << 40

    /// - Parameters: numbers below zero count as zero, a bound below one as one, and what no system
    ///   has as 2⁴⁰.
    package init(open: Int, max: Int) {
        self.open = Swift.min(Swift.max(open, 0), Self.countReach)
        self.max = Swift.min(Swift.max(max, 1), Self.countReach)
    }

    /// Whether it has at least so many hundredths of what it may.
    package func isAtLeast(percent: Int) -> Bool {
        open * 100 >= max * percent
    }
}
