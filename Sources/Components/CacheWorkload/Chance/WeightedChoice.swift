/// A random choice of a few things, each in proportion to its weight.
///
/// - Complexity: O(things) for a choice. Put the likeliest first.
public struct WeightedChoice: Hashable, Sendable {
    /// Greatest word that chooses each thing; the last is the greatest there is.
    @usableFromInline package let bounds: [UInt64]

    /// - Parameter weights: at least one; each finite and above 0.
    package init(_ weights: [Double]) {
        precondition(!weights.isEmpty, "there is something to choose")
        let sum = weights.reduce(0, +)
        var bounds: [UInt64] = []
        var reached = 0.0
        for weight in weights.dropLast() {
            precondition(weight > 0 && sum.isFinite, "every choice has a chance")
            reached += weight
            bounds.append(Self.bound(reached / sum))
        }
        self.bounds = bounds + [.max]
    }

    /// The greatest word of the first `share`, 0 to 1, of all words.
    package static func bound(_ share: Double) -> UInt64 {
        let scaled = share * 0x1p64
        return scaled < 0x1p64 ? UInt64(scaled) : .max
    }

    /// The index that `word`, 64 even bits, chooses.
    @inlinable
    package func index(_ word: UInt64) -> Int {
        var index = 0
        while word > bounds[index] { index &+= 1 }
        return index
    }
}
