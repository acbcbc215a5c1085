/// The eviction policies, by their names in the configuration and on the command line.
package enum EvictionPolicyName: String, CaseIterable, Sendable {
    /// Size-aware queues that adapt to keys that return. The default.
    case adaptive
    /// Quick demotion through a small queue, a main queue with second chances, and ghosts.
    case s3fifo
    /// A small window, and a main part that only more frequently requested keys enter.
    case wtinylfu
    /// Evicts the lowest ratio of frequency to size first.
    case gdsf
    /// One queue, a moving hand, one bit.
    case sieve
    /// One queue with second chances.
    case clock
    /// Evicts the least recently used entry first.
    case lru
    /// Evicts the oldest entry first.
    case fifo
}
