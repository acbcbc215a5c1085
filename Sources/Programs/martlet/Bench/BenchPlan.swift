import CacheConfiguration
import CacheWorkload
import CommandSurface
import EssentialFoundation
import LoadTest

/// What a load test does, made of flags and a file, with everything checked.
struct BenchPlan {
    let plan: LoadTestPlan
    /// What an echo is asked before, if it is.
    let echo: LoadTestPlan?

    init(_ command: BenchCommand) throws {
        let workload = try Self.workload(command)
        var plan = LoadTestPlan(workload)
        plan.endpoints = try command.cluster.endpoints
        plan.keys = try command.cluster.keys()
        plan.threadCount = command.pace.threadCount
        plan.worker = command.worker ?? .all
        plan.invalidationsPerSecond = command.pace.invalidations
        plan.isEcho = command.echo
        plan.spin = command.pace.spin ?? .zero
        plan.timeout = command.cluster.patience
        plan.version = MartletVersion.text
        plan.title = "martlet bench"
        plan.subject = BenchSubject.line(workload, command)
        plan.asked = BenchSubject.facts(workload, command)
        plan.phaseTexts = workload.phases.map(BenchSubject.text)
        let now = WallClock.now
        if let start = command.startAt { plan.startAt = try start.moment(now: now) }
        self.plan = plan
        echo = command.echoFirst ? BenchEcho.plan(before: plan) : nil
        if echo != nil, let start = plan.startAt, start < now + BenchEcho.milliseconds {
            throw CommandFailure(
                .wrongUsage,
                "--start-at: --echo-first takes "
                    + "\(FigureText.timeLeft(.milliseconds(BenchEcho.milliseconds))) before; give "
                    + "a time that is further away")
        }
    }

    private static func workload(_ command: BenchCommand) throws -> Workload {
        var base = WorkloadPhase(name: "steady")
        command.shape.apply(to: &base)
        command.pace.apply(to: &base)
        base.verifies = command.verify
        let workload: Workload
        if let path = command.phases {
            workload = try read(path, base, command)
        } else {
            // Phases of a file end as the file says: no default duration applies to them.
            if base.duration == nil, base.operationCount == nil {
                base.duration = BenchPaceOptions.durationDefault
            }
            workload = Workload(
                phases: phases(of: base, command), seed: command.shape.seed ?? 1)
        }
        try check(workload, command)
        return workload
    }

    /// The phases that flags alone ask for.
    private static func phases(
        of base: WorkloadPhase, _ command: BenchCommand
    ) -> [WorkloadPhase] {
        var phases = [base]
        if let warmUp = command.pace.warmUp {
            var phase = base
            phase.name = "warm-up"
            phase.isWarmUp = true
            phase.duration = warmUp
            phase.operationCount = nil
            phases.insert(phase, at: 0)
        }
        if command.load {
            var phase = base
            phase.name = "fill"
            phase.isFill = true
            phase.isWarmUp = true
            phase.loop = .closed
            phases.insert(phase, at: 0)
        }
        return phases
    }

    private static func read(
        _ path: String, _ base: WorkloadPhase, _ command: BenchCommand
    ) throws -> Workload {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                .unusableInput, "--phases: \(path) cannot be read; check its name and its rights")
        }
        var file = WorkloadFile()
        file.base = base
        file.baseSeed = command.shape.seed ?? 1
        file.threadCount = command.pace.threadCount
        file.workerCount = command.worker?.count ?? 1
        do throws(ConfigurationErrors) {
            return try file.parse([UInt8](bytes), fileName: path)
        } catch {
            var output = CommandOutput()
            output.problems = error.problems.map(\.description)
            output.status = .unusableInput
            try output.finish()
            throw CommandFailure(.unusableInput, "\(path) cannot be used")
        }
    }

    private static func check(_ workload: Workload, _ command: BenchCommand) throws {
        let found = workload.problems(
            threadCount: command.pace.threadCount, workerCount: command.worker?.count ?? 1)
        guard let problem = found.first else { return }
        let flag = flagName(problem.setting, command)
        throw CommandFailure(.wrongUsage, "\(flag): \(problem.sentence)")
    }

    /// The flag by which a setting of a file is given.
    private static func flagName(
        _ setting: WorkloadSetting, _ command: BenchCommand
    ) -> String {
        switch setting {
        case .mix where command.shape.workload != nil: "--workload"
        case .inFlight: "--concurrency"
        case .operations: "--requests"
        case .valueSize: "--value"
        case .fill: "--load"
        default: "--\(setting.rawValue)"
        }
    }
}

/// A short load test against an echo of our own, before one against a cluster.
enum BenchEcho {
    /// How long it takes, with its beginning and its end.
    static let milliseconds: UInt64 = 4_000
    private static let duration: Duration = .seconds(3)

    /// The first phase that counts, as fast as it goes: what is asked for, in how many messages
    /// and from how many threads is the same.
    static func plan(before plan: LoadTestPlan) -> LoadTestPlan {
        let measured = plan.workload.phases.filter { !$0.isWarmUp }
        var phase = measured.first { !$0.isFill } ?? measured.first ?? WorkloadPhase(name: "")
        phase.name = "echo"
        phase.isFill = false
        phase.verifies = false
        phase.loop = .closed
        phase.duration = duration
        phase.operationCount = nil
        var echo = plan
        echo.workload = Workload(phases: [phase], seed: plan.workload.seed)
        echo.isEcho = true
        echo.invalidationsPerSecond = nil
        echo.startAt = nil
        return echo
    }
}
