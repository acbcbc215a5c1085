import LoadTest

/// One phase, as a report has it.
struct StoredPhase: Decodable {
    struct Operation: Decodable {
        var kind: String
        var invalidation: Bool
        var operations: UInt64
        var keys: UInt64
        var hits: UInt64
        var misses: UInt64
        var stale: UInt64
        var errors: [String: UInt64]
        var valueBytes: UInt64?
        var histogram: StoredHistogram?
    }

    struct Schedule: Decodable {
        var keysPerSecond: Double?
        var due: UInt64
        var notSent: UInt64
        var backlogMax: UInt64
        var histogram: StoredHistogram?
    }

    struct Generator: Decodable {
        var processorSeconds: Double?
        var threadSeconds: Double
        var limit: String?
    }

    struct StoredMoment: Decodable {
        var seconds: Double
        var operations: UInt64
        var keys: UInt64
        var hits: UInt64
        var misses: UInt64
        var errors: UInt64
        var notSent: UInt64
        var histogram: StoredHistogram?
        var invalidationHistogram: StoredHistogram?
    }

    var name: String
    var warmUp: Bool
    var asked: String
    var offsetSeconds: Double
    var seconds: Double
    var cutShort: Bool
    var operations: [Operation]
    var schedule: Schedule?
    var generator: Generator
    var momentSeconds: Double
    var moments: [StoredMoment]

    func figures() throws(StoredRun.Fault) -> PhaseFigures {
        var phase = PhaseFigures(name: name)
        phase.isWarmUp = warmUp
        phase.asked = asked
        phase.offsetSeconds = try StoredRun.bounded(offsetSeconds)
        phase.seconds = try StoredRun.bounded(seconds)
        phase.wasCutShort = cutShort
        for operation in operations { phase.operations.append(try operation.figures()) }
        phase.schedule = try schedule?.figures()
        phase.generator.processorSeconds = try StoredRun.bounded(generator.processorSeconds)
        phase.generator.threadSeconds = try StoredRun.bounded(generator.threadSeconds)
        phase.generator.limit = generator.limit.flatMap(GeneratorFigures.Limit.init(rawValue:))
        phase.series = try series()
        return phase
    }

    private func series() throws(StoredRun.Fault) -> MomentSeries {
        guard (0.001...1e6).contains(momentSeconds), moments.count <= MomentSeries.momentCountMax
        else { throw StoredRun.Fault(sentence: "its moments do not fit together") }
        var read: [Moment] = []
        for moment in moments { read.append(try moment.figures()) }
        return MomentSeries(momentSeconds: momentSeconds, moments: read)
    }
}

extension StoredPhase.Operation {
    fileprivate func figures() throws(StoredRun.Fault) -> OperationFigures {
        var figures = OperationFigures(kind: kind, isInvalidation: invalidation)
        figures.operationCount = try StoredRun.count(operations)
        figures.keyCount = try StoredRun.count(keys)
        figures.hitCount = try StoredRun.count(hits)
        figures.missCount = try StoredRun.count(misses)
        figures.staleCount = try StoredRun.count(stale)
        for (cause, count) in errors { figures.errors[cause] = try StoredRun.count(count) }
        if let valueBytes { figures.valueBytes = try StoredRun.count(valueBytes) }
        if let histogram { figures.latency = try histogram.figures(like: figures.latency) }
        return figures
    }
}

extension StoredPhase.Schedule {
    fileprivate func figures() throws(StoredRun.Fault) -> ScheduleFigures {
        var figures = ScheduleFigures()
        figures.ratePerSecond = try StoredRun.bounded(keysPerSecond)
        figures.dueCount = try StoredRun.count(due)
        figures.notSentCount = try StoredRun.count(notSent)
        figures.backlogMax = try StoredRun.count(backlogMax)
        if let histogram { figures.lateness = try histogram.figures(like: figures.lateness) }
        return figures
    }
}

extension StoredPhase.StoredMoment {
    fileprivate func figures() throws(StoredRun.Fault) -> Moment {
        var moment = Moment()
        moment.seconds = try StoredRun.bounded(seconds)
        moment.operationCount = try StoredRun.count(operations)
        moment.keyCount = try StoredRun.count(keys)
        moment.hitCount = try StoredRun.count(hits)
        moment.missCount = try StoredRun.count(misses)
        moment.errorCount = try StoredRun.count(errors)
        moment.notSentCount = try StoredRun.count(notSent)
        if let histogram { moment.latency = try histogram.figures(like: moment.latency) }
        if let histogram = invalidationHistogram {
            moment.invalidationLatency = try histogram.figures(like: moment.invalidationLatency)
        }
        return moment
    }
}
