package import CacheModel

/// A whole cluster with everything that can befall it, told from one number.
///
/// The minds that are shipped – a publisher's, nodes' control threads and shards – live in one
/// thread, between a network, disks, clocks, processes, readers and writers that are made up.
/// A door or a test calls ``run(seed:guards:telling:)`` and reads the outcome:
///
///     seed ─▶ Simulation ─▶ World ── events, one after the other, in the world's own time
///                             │ what minds say crosses a border:
///                             ▼ judges look at all of it
///                          SimulationOutcome: figures, the last events, a broken promise if any
///
/// It stands among the shells, because it joins minds as the servers do. But it keeps the rules
/// of the waterline: no clock, socket, file, thread, dice or Foundation, so that one seed tells
/// one story on every machine, and a seed that fails can be told again and again.
///
/// Callers may run seeds on as many threads as they like: two stories share nothing.
package enum Simulation {
    /// Lives through the story of one seed, until it is over or a promise is broken.
    ///
    /// - Parameters:
    ///   - guards: what the minds check; only test builds can switch any off.
    ///   - tell: hears every event, a line each, as it happens.
    /// - Complexity: some thousand events.
    package static func run(
        seed: UInt64, guards: Guards = .all, telling tell: ((String) -> Void)? = nil
    ) -> SimulationOutcome {
        let world = World(seed: seed, guards: guards, telling: tell)
        var sentence: String?
        do throws(Violation) {
            try world.run()
        } catch {
            sentence = error.sentence
        }
        return SimulationOutcome(
            seed: seed, violation: sentence, tally: world.tally,
            lived: .nanoseconds(Int64(clamping: world.now.nanoseconds)),
            fingerprint: world.trace.fingerprint, settings: world.settings.text,
            lastEvents: world.trace.text)
    }
}
