package import CacheModel

/// A whole cluster with all its faults, from one seed.
///
/// The shipped cores – of a publisher, and of nodes' control threads and shards – run in one
/// thread, between a simulated network, disks, clocks, processes, readers and writers. A command or
/// a test calls ``run(seed:guards:telling:)`` and reads the outcome:
///
///     seed ─▶ Simulation ─▶ World ── events, one after the other, in the world's own time
///                             │ messages that cross the boundary of a core:
///                             ▼ the judges check all of them
///                          SimulationOutcome: counters, the last events, a broken promise if any
///
/// The module connects cores, as the servers do. But it keeps the rules of a core: no clock,
/// socket, file, thread, random source or Foundation. So a seed gives the same run on every
/// machine, and a failing seed can be repeated.
///
/// Callers may run seeds on any number of threads: two runs share nothing.
package enum Simulation {
    /// Runs one seed, until its end or the first broken promise.
    ///
    /// - Parameters:
    ///   - guards: the checks of the cores; only test builds can disable any.
    ///   - tell: receives every event, one line each, as it happens.
    /// - Complexity: some thousand events.
    package static func run(
        seed: UInt64, guards: Guards = .all, in kind: WorldKind = WorldKind(),
        telling tell: ((String) -> Void)? = nil
    ) -> SimulationOutcome {
        let world = World(seed: seed, guards: guards, in: kind, telling: tell)
        var sentence: String?
        do throws(Violation) {
            try world.run()
        } catch {
            sentence = error.sentence
        }
        let timeline = world.timeline
        return SimulationOutcome(
            seed: seed, violation: sentence, tally: timeline.tally,
            lived: .nanoseconds(Int64(clamping: timeline.now.nanoseconds)),
            fingerprint: timeline.trace.fingerprint, settings: timeline.settings.text,
            lastEvents: timeline.trace.text)
    }
}

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
