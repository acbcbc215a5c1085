/// Why a node is not live. The numbers are in STATUS, as `standing_reason`.
public enum StandingReason: UInt8, Hashable, Sendable, CaseIterable {
    /// Nothing was received from the publisher since the start.
    case publisherUnheard = 1
    /// The publisher does not answer: it is gone, or its control endpoint cannot be reached.
    case publisherSilent = 2
    /// There is no configuration yet, and nothing is fresh without one.
    case noConfiguration = 3
    /// Missing records are being replayed.
    case replaying = 4
    /// The publisher contradicts the applied records: the digests differ.
    case diverged = 5
    /// Not every shard has reported that it applied the records it was handed.
    case shardsBehind = 6
    /// The publisher answers, but grants no lease.
    case leaseWithheld = 7
    /// The answer to the first lease request has not arrived.
    case leaseAwaited = 8
    /// The node was ordered to drain.
    case draining = 9
    /// Of several publishers some answer, but none of them leads.
    case noLeader = 10
}
