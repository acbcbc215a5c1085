import ByteCoding
import Histogram
import LoadTest

/// The figures of a load test as one JSON object: the totals first, under the names that scripts
/// know, then everything else, histograms and all, so that reports can be joined.
extension RunFigures {
    var json: JSONDocument {
        .object(
            totals + [
                ("report_format", .integer(StoredRun.format)), ("title", .text(title)),
                ("version", .text(version)), ("subject", .text(subject)),
                ("asked", .list(asked.map(Self.json))), ("echo", .bool(isEcho)),
                ("echo_keys_per_second", .optional(echoKeysPerSecond, JSONDocument.decimal)),
                ("cut_short", .bool(wasCutShort)),
                ("failure", .optional(failure, JSONDocument.text)),
                ("cautions", .list(cautions.map(Self.json))),
                ("workers", .list(workers.map(Self.json))),
                ("phases", .list(phases.map(\.json))),
                ("verification", .optional(verification) { $0.json }),
            ])
    }

    /// Of all measured phases together.
    private var totals: [JSONDocument.Member] {
        let total = total
        let receipts = total.invalidationLatency
        return [
            ("operations", .unsigned(total.operationCount)),
            ("operations_per_second", .rate(total.operationsPerSecond)),
            ("keys_per_second", .rate(total.keysPerSecond)),
            ("hits", .unsigned(total.hitCount)), ("misses", .unsigned(total.missCount)),
            ("errors", .unsigned(total.errorCount)),
            ("latency_us", .microseconds(total.latency)),
            (
                "invalidation_ms",
                receipts.slowest == nil
                    ? .null
                    : .object([
                        ("p50", .latency(receipts.known(50), per: 1_000_000)),
                        ("p99", .latency(receipts.known(99), per: 1_000_000)),
                        ("max", .latency(receipts.slowest, per: 1_000_000)),
                    ])
            ),
            ("violations", .optional(verification) { .unsigned($0.violationCount) }),
            ("keys", .unsigned(total.keyCount)), ("stale", .unsigned(total.staleCount)),
            ("seconds", .decimal(total.seconds)),
            ("hit_ratio", .optional(total.hitRatio, JSONDocument.decimal)),
        ]
    }

    private static func json(_ fact: Fact) -> JSONDocument {
        .object([("name", .text(fact.name)), ("value", .text(fact.value))])
    }

    private static func json(_ caution: Caution) -> JSONDocument {
        .object([
            ("weight", .text(caution.weight.rawValue)), ("sentence", .text(caution.sentence)),
        ])
    }

    private static func json(_ worker: WorkerFigures) -> JSONDocument {
        let machine = worker.machine
        return .object([
            ("part", .optional(worker.part) { .integer($0.number) }),
            ("parts", .optional(worker.part) { .integer($0.count) }),
            ("host_name", .optional(machine.hostName, JSONDocument.text)),
            ("system", .optional(machine.system, JSONDocument.text)),
            ("processor", .optional(machine.processor, JSONDocument.text)),
            ("processor_count", .optional(machine.processorCount, JSONDocument.integer)),
            ("memory_bytes", .optional(machine.memoryBytes, JSONDocument.unsigned)),
            ("build", .optional(machine.build, JSONDocument.text)),
            ("threads", .integer(worker.threadCount)),
            ("connections", .integer(worker.connectionCount)),
            ("started_at_ms", .optional(worker.startedAt, JSONDocument.unsigned)),
            ("nodes_asked", .optional(worker.askedNodes) { .integer($0.count) }),
            ("nodes", .optional(worker.askedNodes) { .integer($0.nodeCount) }),
        ])
    }
}

extension VerificationFigures {
    fileprivate var json: JSONDocument {
        .object([
            ("answers_checked", .unsigned(answersChecked)), ("fresh", .unsigned(freshCount)),
            ("promised", .unsigned(promisedCount)), ("stale", .unsigned(staleCount)),
            ("unfenced", .unsigned(unfencedCount)), ("misses", .unsigned(missCount)),
            ("fills_refused", .unsigned(fillsRefused)), ("changes", .unsigned(changeCount)),
            ("receipts_complete", .unsigned(receiptsComplete)),
            ("receipts_incomplete", .unsigned(receiptsIncomplete)),
            ("violation_count", .unsigned(violationCount)), ("ended_run", .bool(endedTheRun)),
            ("violations", .list(violations.map(Self.json))),
        ])
    }

    private static func json(_ violation: ViolationFigures) -> JSONDocument {
        .object(
            JSONDocument.members("key", violation.key) + [
                ("sentence", .text(violation.sentence)),
                ("phase", .optional(violation.phase, JSONDocument.text)),
                ("at_seconds", .optional(violation.atSeconds, JSONDocument.decimal)),
                ("history", .list(violation.history.map(JSONDocument.text))),
            ])
    }
}

extension PhaseFigures {
    var json: JSONDocument {
        .object([
            ("name", .text(name)), ("warm_up", .bool(isWarmUp)), ("asked", .text(asked)),
            ("offset_seconds", .decimal(offsetSeconds)), ("seconds", .decimal(seconds)),
            ("cut_short", .bool(wasCutShort)), ("keys_per_second", .rate(keysPerSecond)),
            ("hit_ratio", .optional(hitRatio, JSONDocument.decimal)),
            ("latency_us", .microseconds(latency)),
            ("operations", .list(operations.map(Self.json))),
            ("schedule", .optional(schedule, Self.json)), ("generator", generatorJSON),
            ("moment_seconds", .decimal(series.momentSeconds)),
            ("moments", .list(series.moments.map(Self.json))),
        ])
    }

    private static func json(_ figures: OperationFigures) -> JSONDocument {
        let errors = figures.errors.sorted { $0.key < $1.key }.map {
            JSONDocument.Member(name: $0.key, value: .unsigned($0.value))
        }
        return .object([
            ("kind", .text(figures.kind)), ("invalidation", .bool(figures.isInvalidation)),
            ("operations", .unsigned(figures.operationCount)),
            ("keys", .unsigned(figures.keyCount)), ("hits", .unsigned(figures.hitCount)),
            ("misses", .unsigned(figures.missCount)), ("stale", .unsigned(figures.staleCount)),
            ("errors", .object(errors)),
            ("value_bytes", .optional(figures.valueBytes, JSONDocument.unsigned)),
            ("latency_us", .microseconds(figures.latency)),
            ("histogram", .histogram(figures.latency)),
        ])
    }

    private static func json(_ schedule: ScheduleFigures) -> JSONDocument {
        .object([
            ("keys_per_second", .optional(schedule.ratePerSecond, JSONDocument.decimal)),
            ("due", .unsigned(schedule.dueCount)), ("not_sent", .unsigned(schedule.notSentCount)),
            ("backlog_max", .unsigned(schedule.backlogMax)),
            ("lateness_us", .microseconds(schedule.lateness)),
            ("histogram", .histogram(schedule.lateness)),
        ])
    }

    private var generatorJSON: JSONDocument {
        .object([
            ("processor_seconds", .optional(generator.processorSeconds, JSONDocument.decimal)),
            ("thread_seconds", .decimal(generator.threadSeconds)),
            (
                "ns_per_key",
                .optional(generator.nanosecondsPerKey(keyCount)) { .decimal($0.rounded()) }
            ),
            ("limit", .optional(generator.limit) { .text($0.rawValue) }),
        ])
    }

    private static func json(_ moment: Moment) -> JSONDocument {
        .object([
            ("seconds", .decimal(moment.seconds)),
            ("operations", .unsigned(moment.operationCount)),
            ("keys", .unsigned(moment.keyCount)), ("hits", .unsigned(moment.hitCount)),
            ("misses", .unsigned(moment.missCount)), ("errors", .unsigned(moment.errorCount)),
            ("not_sent", .unsigned(moment.notSentCount)),
            ("latency_us", .microseconds(moment.latency)),
            ("histogram", .histogram(moment.latency)),
            ("invalidation_histogram", .histogram(moment.invalidationLatency)),
        ])
    }
}

extension JSONDocument {
    /// Per second, to a tenth.
    static func rate(_ rate: Double?) -> JSONDocument {
        .optional(rate) { .decimal(($0 * 10).rounded() / 10) }
    }

    /// Nanoseconds in a larger unit of so many of them.
    static func latency(_ nanoseconds: UInt64?, per unit: Double) -> JSONDocument {
        .optional(nanoseconds) { .decimal(Double($0) / unit) }
    }

    /// The percentiles that are known, in microseconds; `null` if nothing was answered.
    static func microseconds(_ latency: LatencyHistogram) -> JSONDocument {
        guard let slowest = latency.slowest else { return .null }
        let percentiles = [("p50", 50.0), ("p90", 90), ("p99", 99), ("p999", 99.9)].map {
            JSONDocument.Member(name: $0.0, value: .latency(latency.known($0.1), per: 1_000))
        }
        return .object(percentiles + [("max", .latency(slowest, per: 1_000))])
    }

    /// All of it, for programs that merge reports; `null` if it is empty.
    static func histogram(_ latency: LatencyHistogram) -> JSONDocument {
        guard let slowest = latency.slowest else { return .null }
        return .object([
            ("count", .unsigned(latency.totalCount)), ("min_ns", .unsigned(latency.min)),
            ("max_ns", .unsigned(slowest)),
            ("hdr", .base64(EncodedHistogram.bytes(of: latency))),
        ])
    }
}
