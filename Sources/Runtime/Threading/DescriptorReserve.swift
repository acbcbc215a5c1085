package import CacheModel

/// The last descriptors of a process, kept for files and for connections that it opens itself.
/// docs/decisions/0096 gives the reasons.
package enum DescriptorReserve {
    /// How many are kept of so many.
    package static func count(of descriptorsMax: Int) -> Int {
        let share = descriptorsMax / ThreadingLimits.descriptorReserveShare
        let range = ThreadingLimits.descriptorReserve
        return min(max(share, range.lowerBound), range.upperBound)
    }

    /// How many connections a process may have at one time, so that the reserve stays free.
    ///
    /// - Parameters:
    ///   - wanted: how many it is asked to have, from 1.
    ///   - usage: before the first of them.
    /// - Returns: `wanted`, or fewer, and at least 1.
    package static func connectionsMax(_ wanted: Int, beside usage: DescriptorUsage) -> Int {
        min(wanted, max(usage.max - count(of: usage.max) - usage.open, 1))
    }

    /// Whether a descriptor is one of them. The system gives out the lowest number that is free.
    ///
    /// - Parameter descriptorsMax: how many this process may open now.
    package static func contains(_ descriptor: CInt, of descriptorsMax: Int) -> Bool {
        Int(descriptor) >= descriptorsMax - count(of: descriptorsMax)
    }
}
