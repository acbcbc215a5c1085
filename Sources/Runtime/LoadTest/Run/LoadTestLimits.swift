/// Bounds of a run that are not part of a workload.
package enum LoadTestLimits {
    package static let threads = 1...256
    /// Most keys in one invalidation: the most scopes of a record.
    static let invalidationKeysMax = 1_000
    /// Invalidations beside the load for each second.
    package static let invalidationRate = 1...1_000_000
    /// Time from the last thread's connection to the start of a phase: meanwhile the histograms are
    /// allocated and touched for the first time.
    static let startDelay: UInt64 = 50_000_000
    /// A thread that waits for less than this share of its time is itself the bottleneck.
    static let waitingShareMin = 0.05
    /// Share of due keys that must be sent, and sent in time, for a rate to count as reached.
    static let keptShareMin = 0.99
    /// Longest time from due to sent that counts as in time, in nanoseconds.
    static let latenessMax: UInt64 = 10_000_000
}
