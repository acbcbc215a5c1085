/// What a load test asks for, and when: its phases, one after the other.
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
/// phase, and asks them in its loop; nothing is shared, and nothing is allocated for a request.
///
/// ### What they do not do
/// They read no clock and throw no dice: moments are handed in, and all else follows from the seed
/// and the thread's share. The same workload, seed and number of threads ask for the same keys in
/// the same order on every machine.
package struct Workload: Hashable, Sendable {
    package var phases: [WorkloadPhase]
    package var seed: UInt64 = 1

    package init(phases: [WorkloadPhase], seed: UInt64 = 1) {
        self.phases = phases
        self.seed = seed
    }

    /// The seed of one phase: phases do not ask for the same keys in the same order.
    package func seed(of phase: Int) -> UInt64 { seed &+ UInt64(phase) &* 0xD129_0B26_9A1F_3C47 }
}
