import ByteCoding
import CacheModel

/// Random numbers for back-off and pauses: SplitMix64 [1], so that a seed gives the same results
/// everywhere.
///
/// [1] Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
struct Jitter: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return StableHash.mix(state)
    }

    /// A duration between zero and `longest`, uniform over nanoseconds.
    mutating func upTo(_ longest: Duration) -> Duration {
        let bound = longest.wholeNanoseconds
        // The high word of a product: uniform to within one in 2^64 / bound.
        let chosen = next().multipliedFullWidth(by: bound == .max ? bound : bound + 1).high
        return .nanoseconds(Int64(clamping: chosen))
    }

    /// `middle`, plus or minus up to `share` of it.
    mutating func around(_ middle: Duration, by share: Percent) -> Duration {
        let spread = middle * share.hundredths / 100
        return middle - spread + upTo(spread * 2)
    }
}
