/// Bounds of a run that a workload does not know of.
package enum LoadTestLimits {
    package static let threads = 1...256
    /// Most keys in one invalidation: a record of the log has at most so many scopes.
    static let invalidationKeysMax = 1_000
    /// Invalidations beside the load for each second.
    package static let invalidationRate = 1...1_000_000
    /// How long after the last thread is connected a phase begins: histograms are made meanwhile,
    /// and touched for the first time.
    static let startDelay: UInt64 = 50_000_000
    /// Share of its time below which a thread that never waits longer is the limit itself.
    static let waitingShareMin = 0.05
    /// Share of what is due that has to be sent, and sent in time, for a rate to have been kept.
    static let keptShareMin = 0.99
    /// How long after it was due an operation is still sent in time, in nanoseconds.
    static let latenessMax: UInt64 = 10_000_000
}
