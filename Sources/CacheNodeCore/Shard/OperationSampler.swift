import ByteCoding

/// Which operations of a shard are sampled: one of so many, whatever its key, at distances that no
/// pattern of requests falls into step with.
///
/// The distances are drawn from a seed that is handed in, 1 to 2N − 1 operations, N on average: a
/// strict N-th would see the same place of a batch again and again [1]. A message costs the
/// subtraction of how many operations it has, and a comparison; without sampling, too.
///
/// [1] docs/decisions/0069-a-sampled-log-of-keys-on-nodes.md
struct OperationSampler {
    /// One of so many; `nil`: none is.
    private let every: UInt64?
    private var draw: UInt64
    /// How many operations there are up to the next that is sampled, with that one. At zero or
    /// below it is one of the message that has just passed.
    private var left = Int.max

    init(every: Int?, seed: UInt64) {
        self.every = every.map { UInt64(max(1, $0)) }
        draw = seed
        if self.every != nil { left = distance() }
    }

    /// A message of so many operations is answered.
    ///
    /// - Returns: whether one of them is sampled: ``next(of:)`` says which.
    @inline(__always)
    mutating func pass(_ count: Int) -> Bool {
        left &-= count
        return left <= 0
    }

    /// The next operation that is sampled of a message that has passed; `nil` after the last.
    mutating func next(of count: Int) -> Int? {
        guard every != nil, left <= 0 else { return nil }
        defer { left += distance() }
        return count - 1 + left
    }

    /// The message that has just passed was none of those that are sampled.
    mutating func takeBack(_ count: Int) { left &+= count }

    private mutating func distance() -> Int {
        guard let every else { return .max }
        draw &+= 0x9E37_79B9_7F4A_7C15
        return 1 + Int(StableHash.mix(draw) % (2 * every - 1))
    }
}
