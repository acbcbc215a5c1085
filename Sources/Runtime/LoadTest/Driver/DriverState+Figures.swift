import CacheModel
import CacheWorkload

extension DriverState {
    /// How many keys it has inserted in this phase.
    var insertedCount: Int { stream.insertedCount - insertedBefore }

    /// The measurements of the thread, once the phase is over.
    ///
    /// - Parameter processorAtStart: the thread's processor time at the beginning.
    mutating func figures(
        _ setup: DriverSetup, _ stop: StopSignal, processorAtStart: Double?
    ) -> PhaseFigures {
        let phase = setup.phase
        // A phase of a given length lasts that long, even without answers at its end.
        var endedAt = recorder.lastAnswerAt
        if let duration = phase.duration, !phase.isFill, !stop.isRaised {
            let planned = startedAt + duration.wholeNanoseconds
            if begunCount < setup.phase.operationCount(of: setup.share) ?? .max {
                endedAt = max(endedAt, planned)
            }
        } else if stop.isRaised {
            endedAt = max(endedAt, clock.read())
        }
        let kinds = MeasuredKind.allCases.filter { isInvalidation($0) }
        var figures = recorder.figures(
            of: phase.name, invalidations: Set(kinds), endedAt: endedAt)
        figures.isWarmUp = phase.isWarmUp
        figures.wasCutShort = stop.reason == .asked
        figures.generator.threadSeconds = figures.seconds
        if let begun = processorAtStart, let ended = ProcessorClock.ofThread {
            figures.generator.processorSeconds = ended - begun
        }
        figures.generator.limit = limit(figures)
        return figures
    }

    /// The bottleneck of this thread.
    private func limit(_ figures: PhaseFigures) -> GeneratorFigures.Limit? {
        guard figures.seconds > 0 else { return nil }
        if let schedule = figures.schedule, schedule.isKept { return .schedule }
        let waited = Double(clock.waitedNanoseconds) / 1e9 / figures.seconds
        if waited < LoadTestLimits.waitingShareMin { return .generator }
        return isEcho ? .echo : .cluster
    }
}
