/// The outcome of one seed.
package struct SimulationOutcome: Sendable {
    package let seed: UInt64
    /// The broken promise, as a sentence; `nil` if none was broken.
    package let violation: String?
    package let tally: SimulationTally
    /// The simulated time of the run.
    package let lived: Duration
    /// A hash of all events: the same seed has the same.
    package let fingerprint: UInt64
    /// The settings of the world, as text.
    package let settings: String
    /// The last events, a line each.
    package let lastEvents: String

    /// The broken promise, with all details for finding its cause.
    package var report: String {
        "seed \(seed): \(violation ?? "no promise was broken")\n\(settings)\n\(lastEvents)"
    }
}
