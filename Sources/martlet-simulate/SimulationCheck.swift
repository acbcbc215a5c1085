/// A mutant or a named seed, and whether the simulation did with it what it should.
struct SimulationCheck: Hashable, Sendable {
    /// What is checked: `token-check`, `seed 710`.
    let name: String
    let isPassed: Bool
    /// What was seen, or what was missed.
    let sentence: String
    /// How the world was made and the last events, where a promise broke with every guard on.
    var story: String?
}
