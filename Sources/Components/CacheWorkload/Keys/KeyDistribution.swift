/// Which keys are requested, and how often.
///
/// Hot keys are scattered over the key numbers: they are not neighbours.
package enum KeyDistribution: Hashable, Sendable {
    /// All with the same frequency.
    case uniform
    /// One after the other, in cycles.
    case sequential
    /// The key of rank r with a frequency in proportion to 1 ÷ r^exponent.
    case zipf(exponent: Double)
    /// `requestShare` of all requests go to `keyShare` of the keys, evenly; the other requests go
    /// to the other keys, evenly.
    case hotSet(requestShare: Double, keyShare: Double)
    /// Like zipf, with rank 1 for the last inserted key, rank 2 for the one before it, and so on.
    case latest(exponent: Double)

    /// The default exponent, as in YCSB.
    package static let standardExponent = 0.99
}
