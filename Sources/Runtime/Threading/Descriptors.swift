package import CacheModel
import CPlatform

/// The descriptors of this process, as the system counts them.
package enum Descriptors {
    /// Allows this process as many as it may allow itself, at most
    /// ``ThreadingLimits/descriptorsMax``. Never fewer than before.
    package static func raiseLimit() {
        martlet_descriptors_raise(Int64(ThreadingLimits.descriptorsMax))
    }

    /// How many this process may open, and how many it may allow itself; `nil` where the system
    /// does not tell.
    package static var limits: (soft: Int, hard: Int)? {
        let (soft, hard) = (martlet_descriptors_max(), martlet_descriptors_hard_max())
        guard soft > 0, hard > 0 else { return nil }
        return (Int(clamping: soft), Int(clamping: hard))
    }

    /// How many are open and how many may be; `nil` where the system does not tell.
    package static var usage: DescriptorUsage? {
        let (open, max) = (martlet_descriptors_open(), martlet_descriptors_max())
        guard open >= 0, max > 0 else { return nil }
        return DescriptorUsage(open: Int(open), max: Int(clamping: max))
    }
}

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
