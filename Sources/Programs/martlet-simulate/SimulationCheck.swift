/// A mutant or a named seed, with the outcome of its check.
struct SimulationCheck: Hashable, Sendable {
    /// Name of the check: `token-check`, `seed 710`.
    let name: String
    let isPassed: Bool
    /// The outcome in words.
    let sentence: String
    /// The settings of the world and the last events, if a promise broke with every guard enabled.
    var story: String?
}
