import CacheModel
import CacheSimulation

/// The outcome of many seeds.
struct SimulationReport: Sendable {
    /// A promise that one seed broke.
    struct Breach: Hashable, Sendable {
        let seed: UInt64
        let sentence: String
        /// The world's settings and the last events.
        let story: String
    }

    /// The outcome of some of the seeds.
    struct Part: Sendable {
        private(set) var tally = SimulationTally()
        private(set) var lived = Duration.zero
        private(set) var breaches: [Breach] = []

        mutating func add(_ outcome: SimulationOutcome) {
            tally.add(outcome.tally)
            lived += outcome.lived
            guard let sentence = outcome.violation else { return }
            breaches.append(
                Breach(
                    seed: outcome.seed, sentence: sentence,
                    story: outcome.settings + "\n" + outcome.lastEvents))
        }

        mutating func add(_ other: Part) {
            tally.add(other.tally)
            lived += other.lived
            breaches += other.breaches
        }
    }

    let first: UInt64
    let count: Int
    let processors: Int
    let disabled: [ProtocolGuard]
    var kind = WorldKind()
    var elapsed = Duration.zero
    private(set) var whole = Part()

    mutating func add(_ part: Part) { whole.add(part) }

    var tally: SimulationTally { whole.tally }
    /// Simulated time, all seeds together.
    var lived: Duration { whole.lived }
    var breaches: [Breach] { whole.breaches.sorted { $0.seed < $1.seed } }

    /// Events that this number of seeds must contain and does not: a simulation in which nothing
    /// went wrong has shown nothing. Empty with disabled guards, which change the events.
    var neverMet: [String] {
        disabled.isEmpty ? tally.neverMet(in: count, kind) : []
    }

    var failedCount: Int { breaches.count + neverMet.count }
    var passedCount: Int { count - breaches.count }

    var eventsPerSecond: Int {
        let seconds = Double(elapsed.wholeNanoseconds) / 1e9
        return seconds > 0 ? Int(Double(tally[.events]) / seconds) : 0
    }
}
