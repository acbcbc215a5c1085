import ArgumentParser
import Foundation

/// Which keys a load test asks for.
enum KeyDistribution: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    case uniform
    /// One after the other, round and round.
    case sequential
    /// Rank r is asked for in proportion to 1 ÷ r^exponent.
    case zipf(exponent: Double)

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        switch (parts.first, parts.count) {
        case ("uniform", 1): self = .uniform
        case ("sequential", 1): self = .sequential
        case ("zipf", 1): self = .zipf(exponent: 0.99)
        case ("zipf", 2):
            guard let exponent = Double(parts[1]), exponent > 0, exponent < 10 else { return nil }
            self = .zipf(exponent: exponent)
        default: return nil
        }
    }

    var description: String {
        switch self {
        case .uniform: "uniform"
        case .sequential: "sequential"
        case .zipf(let exponent): "zipf:\(exponent)"
        }
    }
}

/// Draws key numbers, 0 ..< count, from a seeded generator: the same seed asks for the same keys.
struct KeyGenerator {
    private var state: UInt64
    private let count: Int
    private let distribution: KeyDistribution
    private var next = 0
    private let zipf: ZipfSampler?

    init(_ distribution: KeyDistribution, count: Int, seed: UInt64) {
        precondition(count > 0, "there is at least one key to ask for")
        self.distribution = distribution
        self.count = count
        state = seed
        if case .zipf(let exponent) = distribution {
            zipf = ZipfSampler(count: count, exponent: exponent)
        } else {
            zipf = nil
        }
    }

    mutating func draw() -> Int {
        switch distribution {
        case .uniform: return Int(word().multipliedFullWidth(by: UInt64(count)).high)
        case .sequential:
            defer { next = next + 1 == count ? 0 : next + 1 }
            return next
        case .zipf:
            guard let zipf else { preconditionFailure("a zipf distribution has its sampler") }
            while true {
                if let rank = zipf.rank(unit: unit()) { return Self.scatter(rank - 1, count) }
            }
        }
    }

    /// A number in 0 ..< 1.
    mutating func unit() -> Double { Double(word() >> 11) * 0x1p-53 }

    /// SplitMix64.
    private mutating func word() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Spreads ranks over the key numbers, so that hot keys are not neighbours. The multiplier is
    /// a prime greater than any count, hence the spreading is one to one.
    private static func scatter(_ rank: Int, _ count: Int) -> Int {
        Int(UInt64(rank).multipliedFullWidth(by: 1_000_000_007).low % UInt64(count))
    }
}
