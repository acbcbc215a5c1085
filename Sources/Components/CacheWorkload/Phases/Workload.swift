/// The requests of a load test and their times: phases, one after the other.
///
///      flags, a file ──▶ Workload
///                          │ phases, in order
///                          ▼
///                      WorkloadPhase ── for each thread, by its ThreadShare:
///                          ├─▶ RequestStream      which operation on which key, of what size
///                          └─▶ ArrivalBacklog     when it is due, and what waits since
///                                └ ArrivalSchedule
///      a trace    ───────▶ TracePace              when what was recorded is due again
///
/// ### Threads
/// All of these are values. A thread of a load test makes its own stream and backlog for each
/// phase, and reads them in its loop. Threads share nothing, and a request allocates nothing.
///
/// ### Determinism
/// They read no clock and use no random source: the caller passes times, and all else follows from
/// the seed and the thread's share. The same workload, seed and number of threads request the same
/// keys in the same order on every machine.
/// the same order on every machine.
package struct Workload: Hashable, Sendable {
    package var phases: [WorkloadPhase]
    package var seed: UInt64 = 1

    package init(phases: [WorkloadPhase], seed: UInt64 = 1) {
        self.phases = phases
        self.seed = seed
    }

    /// The seed of one phase, so that each phase has its own sequence of keys.
    package func seed(of phase: Int) -> UInt64 { seed &+ UInt64(phase) &* 0xD129_0B26_9A1F_3C47 }
}
