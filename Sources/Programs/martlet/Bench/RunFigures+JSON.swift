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
