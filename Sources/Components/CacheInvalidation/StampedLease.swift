package import CacheModel

/// The longest lease that a node may still hold, as a log says it for the next publisher.
package struct StampedLease {
    package private(set) var milliseconds: UInt32
    /// What is granted now.
    private var granted: UInt32
    /// When no node can hold a longer lease than those granted now; `nil` where none does.
    package private(set) var shrinksAt: Instant?

    /// - Parameter inherited: what an earlier publisher may have granted right before its end.
    package init(_ granted: UInt32, inherited: UInt32, now: Instant) {
        self.granted = granted
        milliseconds = max(granted, inherited)
        if inherited > granted { shrinksAt = Self.end(of: inherited, from: now) }
    }

    /// Leases of this length are granted from now on.
    ///
    /// Saying it again changes nothing.
    ///
    /// - Returns: whether the stamp has to tell a longer one.
    package mutating func grants(_ granted: UInt32, now: Instant) -> Bool {
        if granted >= milliseconds {
            shrinksAt = nil
        } else if granted < self.granted || shrinksAt == nil {
            // Right before, the longest may have been granted once more.
            shrinksAt = Self.end(of: milliseconds, from: now)
        }
        self.granted = granted
        guard granted > milliseconds else { return false }
        milliseconds = granted
        return true
    }

    /// - Returns: whether the stamp may tell a shorter one now.
    package mutating func shrink(at now: Instant) -> Bool {
        guard let shrinksAt, shrinksAt <= now else { return false }
        self.shrinksAt = nil
        milliseconds = granted
        return true
    }

    private static func end(of milliseconds: UInt32, from now: Instant) -> Instant {
        now.advanced(by: InvalidationLimits.grant(for: .milliseconds(Int64(milliseconds))))
    }
}
