/// The last descriptors of a process, kept for files and for connections that it opens itself.
/// docs/decisions/0096 gives the reasons.
package enum DescriptorReserve {
    /// How many are kept of so many.
    package static func count(of descriptorsMax: Int) -> Int {
        let share = descriptorsMax / ThreadingLimits.descriptorReserveShare
        let range = ThreadingLimits.descriptorReserve
        return min(max(share, range.lowerBound), range.upperBound)
    }

    /// Whether a descriptor is one of them. The system gives out the lowest number that is free.
    ///
    /// - Parameter descriptorsMax: how many this process may open now.
    package static func contains(_ descriptor: CInt, of descriptorsMax: Int) -> Bool {
        Int(descriptor) >= descriptorsMax - count(of: descriptorsMax)
    }
}
