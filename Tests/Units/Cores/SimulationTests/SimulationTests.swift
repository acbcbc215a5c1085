import CacheSimulation
import Testing

/// The cluster as a whole, in a world of which every accident comes from a seed: what a debug
/// build runs in seconds. Hundreds of seeds, the named ones and the mutants are run by
/// `martlet-simulate` (docs/testing.md, "The simulation").
@Suite(.serialized) struct SimulationTests {
    /// Runs one seed and says what broke, with the last events before.
    private static func live(_ seed: UInt64) -> SimulationOutcome {
        let outcome = Simulation.run(seed: seed)
        if outcome.violation != nil { Issue.record("\(outcome.report)") }
        return outcome
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func noSeedBreaksAPromise(seed: UInt64) {
        _ = Self.live(seed)
    }

    @Test(arguments: [10, 31])
    func aSeedTellsOneStoryAlways(seed: UInt64) {
        #expect(Self.live(seed).fingerprint == Self.live(seed).fingerprint)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func noSeedOfSeveralPublishersBreaksAPromise(seed: UInt64) {
        let outcome = Simulation.run(seed: seed, in: WorldKind(publishers: 3))
        if outcome.violation != nil { Issue.record("\(outcome.report)") }
        let again = Simulation.run(seed: seed, in: WorldKind(publishers: 3))
        #expect(again.fingerprint == outcome.fingerprint)
    }

    @Test func fewSeedsNeedNotMeetWhatIsRare() {
        let nothing = SimulationTally()
        #expect(nothing.neverMet(in: 99) == [])
        let inMany = nothing.neverMet(in: 1_000)
        let ofSeveral = nothing.neverMet(in: 1_000, WorldKind(publishers: 3))
        let ofSlots = nothing.neverMet(in: 1_000, WorldKind(hasSlots: true))
        #expect(inMany + ofSeveral + ofSlots == nothing.figures.map(\.name))
        let rare = Set(inMany).subtracting(nothing.neverMet(in: 100))
        #expect(rare == ["lapsed answers", "epochs", "disk faults"])
        let rareOfSlots = Set(ofSlots).subtracting(
            nothing.neverMet(in: 100, WorldKind(hasSlots: true)))
        #expect(rareOfSlots == ["failovers"])
    }
}
