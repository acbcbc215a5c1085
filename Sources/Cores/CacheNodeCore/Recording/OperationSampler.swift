import ByteCoding

/// Selects the sampled operations of a shard: one in N, whatever its key, at distances that do not
/// align with any pattern of requests.
///
/// The distances are drawn from a given seed, 1 to 2N − 1 operations, N on average: a strict N-th
/// would select the same place of a batch again and again [1]. A message costs one subtraction of
/// its operation count, and a comparison, also without sampling.
///
/// [1] docs/decisions/0069-a-sampled-log-of-keys-on-nodes.md
struct OperationSampler {
    /// One in this many; `nil`: none.
    private let every: UInt64?
    private var draw: UInt64
    /// Number of operations up to and including the next sampled one. At zero or below, that one is
    /// in the message that has just passed.
    private var left = Int.max

    init(every: Int?, seed: UInt64) {
        self.every = every.map { UInt64(max(1, $0)) }
        draw = seed
        if self.every != nil { left = distance() }
    }

    /// A message with this many operations is answered.
    ///
    /// - Returns: whether one of them is sampled: ``next(of:)`` returns which.
    @inline(__always)
    mutating func pass(_ count: Int) -> Bool {
        left &-= count
        return left <= 0
    }

    /// The next sampled operation of a message that has passed; `nil` after the last.
    mutating func next(of count: Int) -> Int? {
        guard every != nil, left <= 0 else { return nil }
        defer { left += distance() }
        return count - 1 + left
    }

    /// Reverts the last message: its operations are not of the sampled kinds.
    mutating func takeBack(_ count: Int) { left &+= count }

    private mutating func distance() -> Int {
        guard let every else { return .max }
        draw &+= 0x9E37_79B9_7F4A_7C15
        return 1 + Int(StableHash.mix(draw) % (2 * every - 1))
    }
}
