/// Flags that mean nothing beside another one: a user that gives both expects something else than
/// what would happen.
extension BenchCommand {
    /// Of what was given, what a replay of recorded requests does not look at.
    var strangersToTrace: [String] {
        let own: [(String, Bool)] = [
            ("--phases", phases != nil), ("--verify", verify), ("--load", load), ("--echo", echo),
            ("--echo-first", echoFirst), ("--start-at", startAt != nil),
            ("--worker", worker != nil),
        ]
        let given = own.filter(\.1).map(\.0) + shape.given + pace.given
        return given.filter { $0 != "--concurrency" }
    }

    /// Of what was given, what would be a phase beside those of a file.
    var strangersToPhases: [String] {
        [("--load", load), ("--warm-up", pace.warmUp != nil)].filter(\.1).map(\.0)
    }
}

extension BenchShapeOptions {
    /// The names of the flags that were given.
    var given: [String] {
        let all: [(String, Bool)] = [
            ("--keys", keys != nil), ("--key-size", keySize != nil), ("--value", value != nil),
            ("--distribution", distribution != nil), ("--read", read != nil),
            ("--mix", mix != nil), ("--workload", workload != nil), ("--seed", seed != nil),
        ]
        return all.filter(\.1).map(\.0)
    }
}

extension BenchPaceOptions {
    /// The names of the flags that were given.
    var given: [String] {
        let all: [(String, Bool)] = [
            ("--duration", duration != nil), ("--requests", requests != nil),
            ("--warm-up", warmUp != nil), ("--concurrency", concurrency != nil),
            ("--batch", batch != nil), ("--threads", threads != nil),
            ("--connections", connections != nil), ("--rate", rate != nil),
            ("--arrivals", arrivals != nil), ("--invalidations", invalidations != nil),
            ("--spin", spin != nil),
        ]
        return all.filter(\.1).map(\.0)
    }
}
