/// Bounds of a shared log and of its leadership.
package enum SharedLogLimits {
    /// The lease of a leader in the store: the least that etcd's default timing allows.
    package static let leaderLease: Duration = .seconds(2)
    /// How often it is kept alive.
    package static let keepAliveSpacing: Duration = .milliseconds(500)
    /// How long before its end the leader stops relying on it.
    package static let leaseMargin: Duration = .milliseconds(250)
    /// How often a standby reads the leader, the head and new records.
    package static let pollSpacing: Duration = .milliseconds(50)
    /// How long a standby that has not read the kept log leaves the campaign to others.
    package static let coldPause: Duration = .seconds(2)
    /// Longest wait of a leader that resigns for the outcomes of its writes.
    package static let resignMax: Duration = .seconds(1)
    /// Shortest time between two writes of the furthest mark on the own disk.
    static let furthestSpacing: Duration = .seconds(1)
    /// Time between two compactions of the store.
    static let compactionSpacing: Duration = .seconds(10)
    /// Reads of a new leader that may bring nothing before it resigns.
    static let idleReadsMax = 20
    /// Batches of one read. The number doubles while a read is full and has less than these bytes,
    /// so that a log of many small batches is read in a few.
    package static let batchesPerRead = 4
    static let batchesPerReadMax = 64
    static let readBytesMax = 1 << 20
    /// Bytes of one batch.
    package static let batchBytesMax = 1 << 20
    /// The pause after a failure, and the longest after several.
    static let pauseMin: Duration = .milliseconds(50)
    static let pauseMax: Duration = .seconds(1)

    /// The pause before the next attempt.
    static func pause(after failureCount: Int) -> Duration {
        min(pauseMin * (1 << min(failureCount - 1, 8)), pauseMax)
    }

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            keepAliveSpacing * 3 <= leaderLease, "one lost keep-alive does not end a term")
        precondition(leaseMargin < leaderLease, "a leader leads for a while")
        precondition(pollSpacing < leaderLease, "a standby notices the end of a term")
    }
}
