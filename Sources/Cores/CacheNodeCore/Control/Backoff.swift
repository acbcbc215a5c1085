import ByteCoding

/// Back-off delays that double from `first` to `longest`, each reduced by up to a quarter at
/// random, so that nodes that lost the same publisher do not return at the same moment.
struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var chance: UInt64
    private var doublings = 0

    init(first: Duration, longest: Duration, seed: UInt64) {
        self.first = first
        self.longest = longest
        chance = seed
    }

    /// The next delay.
    mutating func next() -> Duration {
        var wait = first
        for _ in 0..<doublings where wait < longest { wait *= 2 }
        if wait < longest { doublings += 1 }
        wait = min(wait, longest)
        chance &+= 0x9E37_79B9_7F4A_7C15
        let thousandths = StableHash.mix(chance) % 251
        return wait - wait * Int(thousandths) / 1_000
    }

    /// Success: the next delay is the first one again.
    mutating func reset() {
        doublings = 0
    }
}
