import CPlatform
package import CacheModel

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
