import CacheVerification
import CacheWorkload
import MartletClient

/// One thread of a run: all phases in turn, over one connection while their settings are alike.
///
///     connect ─▶ gate ─▶ drive ─▶ figures ─▶ gate ─▶ drive ─▶ figures ─▶ …
struct WorkerThread: Sendable {
    /// The results of a thread.
    struct Harvest: Sendable {
        /// One for each phase; `nil` if the thread did not begin it.
        var phases: [PhaseFigures?] = []
        var verification: VerificationFigures?
        /// Why the thread ended early; a sentence for people.
        var failure: CacheError?
    }

    let crew: Crew
    let index: Int

    private var plan: LoadTestPlan { crew.plan }
    private var stop: StopSignal { crew.stop }

    /// Works through all phases. After a failure, or once the run is to end, it only passes the
    /// gates, so that no thread waits for it.
    func run() -> Harvest {
        var harvest = Harvest()
        var oracle = makeOracle()
        var insertedCount = 0
        var line: DriverLine?
        for phase in plan.workload.phases.indices {
            var setup = setup(of: phase)
            setup.insertedCount = insertedCount
            setup.oracle = setup.phase.verifies ? oracle : nil
            let outcome = run(setup, phase, &line)
            if let failure = outcome.failure {
                harvest.failure = harvest.failure ?? failure
                stop.raise(.failure)
            }
            harvest.phases.append(outcome.figures)
            insertedCount += outcome.insertedCount
            oracle = outcome.oracle ?? oracle
        }
        harvest.verification = oracle?.figures
        return harvest
    }

    private func setup(of phase: Int) -> DriverSetup {
        let workload = plan.workload.phases[phase]
        return DriverSetup(
            phase: workload, share: crew.layout.share(of: index, for: workload, in: plan),
            target: crew.target(of: index), seed: plan.workload.seed(of: phase),
            invalidationsPerSecond: plan.invalidationsPerSecond)
    }

    private func makeOracle() -> ThreadOracle? {
        guard plan.verifies else { return nil }
        let part = plan.worker.part(index, of: crew.threadCount)
        let count = part.ownCount(of: plan.keyCountMax)
        guard count > 0 else { return nil }
        let keys = OwnedKeys(first: part.index, stride: part.count, count: count)
        return ThreadOracle(AnswerOracle(keys: keys, run: crew.stamp), stop: stop)
    }

    private struct Outcome {
        var figures: PhaseFigures?
        var oracle: ThreadOracle?
        var insertedCount = 0
        var failure: CacheError?
    }

    private func run(_ setup: DriverSetup, _ phase: Int, _ line: inout DriverLine?) -> Outcome {
        var outcome = Outcome()
        defer { crew.board.leave(index) }
        do throws(CacheError) {
            if !stop.isRaised { try connect(setup, phase, &line) }
        } catch {
            outcome.failure = error
        }
        let startedAt = crew.pass(phase)
        guard let line, outcome.failure == nil, !stop.isRaised else { return outcome }
        // Before the phase begins: this takes longer than some requests.
        let state = DriverState(
            setup, startedAt: startedAt, runStartedAt: crew.ledger[0].startedAt,
            board: crew.board)
        WallClock.sleep(until: startedAt, stop)
        guard !stop.isRaised else { return outcome }
        crew.ledger.start(phase)
        drive(Driver(line, state, setup.work(stop, startedAt: startedAt)), setup, &outcome)
        crew.ledger.end(phase)
        return outcome
    }

    /// Ensures a connection that suits the phase, and the following ones with the same settings.
    private func connect(
        _ setup: DriverSetup, _ phase: Int, _ line: inout DriverLine?
    ) throws(CacheError) {
        var shape = setup.shape
        if let line, line.shape.serves(shape) { return }
        for later in plan.workload.phases.indices.dropFirst(phase + 1) {
            guard let joined = shape.joined(self.setup(of: later).shape) else { break }
            shape = joined
        }
        line = nil
        line = try DriverLine(
            crew.endpoints, shape, keys: plan.clusterKeys, timeout: plan.timeout, spin: plan.spin)
    }

    private func drive(
        _ driver: consuming Driver, _ setup: DriverSetup, _ outcome: inout Outcome
    ) {
        let processor = ProcessorClock.ofThread
        do throws(CacheError) {
            try driver.run()
        } catch {
            // The measurements up to then are still reported.
            outcome.failure = error
            stop.raise(.failure)
        }
        outcome.figures = driver.state.figures(setup, stop, processorAtStart: processor)
        outcome.oracle = driver.state.oracle
        outcome.insertedCount = driver.state.insertedCount
    }
}
