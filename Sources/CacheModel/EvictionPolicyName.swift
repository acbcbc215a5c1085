/// The eviction policies there are, as the configuration and the command line name them.
package enum EvictionPolicyName: String, CaseIterable, Sendable {
    /// Size-aware queues that adapt to what comes back. The default.
    case adaptive
    /// Quick demotion through a small queue, a main queue with second chances, and ghosts.
    case s3fifo
    /// A small window, and a main part that only those enter who are asked for more often.
    case wtinylfu
    /// The lowest of frequency over size leaves first.
    case gdsf
    /// One queue, a moving hand, one bit.
    case sieve
    /// One queue with second chances.
    case clock
    /// Who was asked for longest ago leaves first.
    case lru
    /// Who came first leaves first.
    case fifo
}
