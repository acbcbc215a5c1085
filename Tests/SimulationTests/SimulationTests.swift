import CacheSimulation
import Foundation
import Testing

/// The cluster as a whole, in a world of which every accident comes from a seed.
///
///     MARTLET_SEED=123 swift test --filter SimulationTests    one seed, every event printed
///     MARTLET_SEEDS=5000 swift test --filter SimulationTests  so many seeds instead of the usual
@Suite(.serialized) struct SimulationTests {
    private static let usualCount: UInt64 = 100

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// Lives through one seed and says what broke, with the last events before.
    private static func live(_ seed: UInt64, isLoud: Bool = false) -> SimulationOutcome {
        let outcome = Simulation.run(seed: seed, telling: isLoud ? { print($0) } : nil)
        if outcome.violation != nil { Issue.record("\(outcome.report)") }
        return outcome
    }

    @Test func noSeedBreaksAPromise() {
        if let seed = Self.number("MARTLET_SEED") {
            _ = Self.live(seed, isLoud: true)
            return
        }
        let count = Self.number("MARTLET_SEEDS") ?? Self.usualCount
        var tally = SimulationTally()
        let clock = ContinuousClock()
        let began = clock.now
        for seed in 1...count {
            // A mind's own invariant ends the process: then this line names the seeds.
            if seed % 25 == 1 { print("simulating seeds \(seed) to \(min(seed + 24, count))") }
            tally.add(Self.live(seed).tally)
        }
        print("simulated \(tally.events) events in \(clock.now - began)")
        for (name, value) in tally.figures {
            print("    \(name): \(value)")
            guard count >= 100, count >= 1_000 || !SimulationTally.rare.contains(name) else {
                continue
            }
            #expect(value > 0, "the simulation never meets: \(name)")
        }
    }

    @Test(arguments: NamedSeeds.all)
    func aSeedThatOnceFoundSomethingStaysQuiet(seed: UInt64) {
        _ = Self.live(seed)
    }

    @Test(arguments: [2, 7, 10, 31, 64])
    func aSeedTellsOneStoryAlways(seed: UInt64) {
        #expect(Self.live(seed).fingerprint == Self.live(seed).fingerprint)
    }
}
