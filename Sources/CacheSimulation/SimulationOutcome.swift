/// What one story came to.
package struct SimulationOutcome: Sendable {
    package let seed: UInt64
    /// The promise that was broken, as a sentence; `nil` if none was.
    package let violation: String?
    package let tally: SimulationTally
    /// How long the story took in the world's own time.
    package let lived: Duration
    /// One number for everything that happened: the same seed has the same.
    package let fingerprint: UInt64
    /// How the world was made, in words.
    package let settings: String
    /// The last events, a line each.
    package let lastEvents: String

    /// The broken promise with all that helps to find out why.
    package var report: String {
        "seed \(seed): \(violation ?? "no promise was broken")\n\(settings)\n\(lastEvents)"
    }
}
