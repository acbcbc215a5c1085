/// The lengths of keys or values: weighted ranges of sizes, each with a uniform distribution.
package struct SizeDistribution: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        /// A range; one size, if both ends are the same.
        package var bytes: ClosedRange<Int>
        /// In proportion to the sum of all weights; above 0.
        package var weight: Double

        package init(_ bytes: ClosedRange<Int>, weight: Double = 1) {
            self.bytes = bytes
            self.weight = weight
        }
    }

    /// At least one.
    package let parts: [Part]

    package init(_ parts: [Part]) {
        precondition(!parts.isEmpty, "something has a size")
        self.parts = parts
    }

    /// One size for all.
    package static func fixed(_ bytes: Int) -> SizeDistribution {
        SizeDistribution([Part(bytes...bytes)])
    }

    /// Every size of the range with equal probability.
    package static func uniform(_ bytes: ClosedRange<Int>) -> SizeDistribution {
        SizeDistribution([Part(bytes)])
    }

    package var bytesMin: Int { parts.reduce(.max) { min($0, $1.bytes.lowerBound) } }
    package var bytesMax: Int { parts.reduce(0) { max($0, $1.bytes.upperBound) } }

    /// The mean size.
    package var meanBytes: Double {
        let sum = parts.reduce(0) { $0 + $1.weight }
        return parts.reduce(0) { mean, part in
            let middle = Double(part.bytes.lowerBound + part.bytes.upperBound) / 2
            return mean + middle * part.weight / sum
        }
    }
}
