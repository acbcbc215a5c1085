/// Which keys are asked for, how often.
///
/// What is hot is scattered over the key numbers: hot keys are not neighbours.
package enum KeyDistribution: Hashable, Sendable {
    /// Each as often.
    case uniform
    /// One after the other, round and round.
    case sequential
    /// The key of rank r in proportion to 1 ÷ r^exponent.
    case zipf(exponent: Double)
    /// Of all requests, `requestShare` go to a set that is `keyShare` of the keys, each of them as
    /// often; the others to the rest, likewise.
    case hotSet(requestShare: Double, keyShare: Double)
    /// As zipf, where the key that was inserted last has rank 1, the one before it rank 2.
    case latest(exponent: Double)

    /// The exponent where nobody names one, as in YCSB.
    package static let standardExponent = 0.99
}
