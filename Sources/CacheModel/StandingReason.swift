/// Why a node is not live: what it waits for. The numbers are in STATUS, as `standing_reason`.
public enum StandingReason: UInt8, Hashable, Sendable, CaseIterable {
    /// Nothing was heard of the publisher since the start.
    case publisherUnheard = 1
    /// The publisher does not answer: it is gone, or its control endpoint cannot be reached.
    case publisherSilent = 2
    /// There is no configuration yet, and nothing is fresh without one.
    case noConfiguration = 3
    /// Records that are missing are being replayed.
    case replaying = 4
    /// The publisher contradicts what was applied: the digests differ.
    case diverged = 5
    /// Not every shard has said that it obeyed what it was handed.
    case shardsBehind = 6
    /// The publisher answers, and gives no lease.
    case leaseWithheld = 7
    /// The answer to the first request for a lease has yet to come.
    case leaseAwaited = 8
    /// The node was told to leave.
    case draining = 9
}
