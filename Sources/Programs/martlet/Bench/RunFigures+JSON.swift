import ByteCoding
import LoadTest
import EssentialFoundation

/// The figures of a load test as one JSON object: the totals first, under the names that scripts
/// know, then everything else, histograms and all, so that reports can be joined.
extension RunFigures: ReportObject {
    /// Grows when a member that is read changes its meaning.
    private static let format = 1

    static var empty: Self { RunFigures(title: "", version: "", subject: "") }

    static var members: [Member] {
        [
            Member(write: { totals($0.total, $0.verification) }), formatMember,
            Member("title", \.title), Member("version", \.version), Member("subject", \.subject),
            Member("asked", \.asked), Member("echo", \.isEcho),
            Member("echo_keys_per_second", \.echoKeysPerSecond),
            Member("cut_short", \.wasCutShort), Member("failure", \.failure),
            .derived("cautions") { .list($0.cautions.map(json)) },
            Member("workers", \.workers), Member("phases", \.phases),
            Member("verification", \.verification),
        ]
    }

    /// - Throws: ``ReportFault`` for whatever is not such an object.
    static func read(_ bytes: [UInt8]) throws(ReportFault) -> RunFigures {
        do {
            return try RunFigures(reading: JSONReader.read(bytes))
        } catch let fault as ReportFault {
            throw fault
        } catch { throw .noReport }
    }

    private static var formatMember: Member {
        Member(
            write: { _ in [("report_format", format.json)] },
            read: { _, stored in
                let found = try Int(reading: stored["report_format"] ?? .null)
                guard found == format else {
                    throw ReportFault(sentence: "its format is \(found), not \(format)")
                }
            })
    }

    /// - Parameter total: all measured phases together.
    private static func totals(
        _ total: PhaseFigures, _ verification: VerificationFigures?
    ) -> [JSONDocument.Member] {
        let receipts = total.invalidationLatency
        let percentiles: [JSONDocument.Member] = [
            ("p50", .latency(receipts.known(50), per: 1_000_000)),
            ("p99", .latency(receipts.known(99), per: 1_000_000)),
            ("max", .latency(receipts.slowest, per: 1_000_000)),
        ]
        return [
            ("operations", total.operationCount.json),
            ("operations_per_second", .rate(total.operationsPerSecond)),
            ("keys_per_second", .rate(total.keysPerSecond)),
            ("hits", total.hitCount.json), ("misses", total.missCount.json),
            ("errors", total.errorCount.json), ("latency_us", .microseconds(total.latency)),
            ("invalidation_ms", receipts.slowest == nil ? .null : .object(percentiles)),
            ("violations", (verification?.violationCount).json),
            ("keys", total.keyCount.json), ("stale", total.staleCount.json),
            ("seconds", total.seconds.json), ("hit_ratio", total.hitRatio.json),
        ]
    }

    private static func json(_ caution: Caution) -> JSONDocument {
        .object([
            ("weight", .text(caution.weight.rawValue)), ("sentence", .text(caution.sentence)),
        ])
    }
}

extension RunFigures.Fact: ReportObject {
    static var empty: Self { RunFigures.Fact("", "") }
    static var members: [Member] { [Member("name", \.name), Member("value", \.value)] }
}

extension WorkerFigures: ReportObject {
    static var empty: Self {
        WorkerFigures(machine: MachineFacts(), threadCount: 0, connectionCount: 0)
    }

    static var members: [Member] {
        [
            .pair("part", "parts", \.part, { ($0.number, $0.count) }) { part, parts in
                guard (1...10_000).contains(parts), (1...parts).contains(part) else {
                    throw ReportFault(sentence: "\(part)/\(parts) is no part of a load test")
                }
                return Part(number: part, of: parts)
            },
            Member("host_name", \.machine.hostName), Member("system", \.machine.system),
            Member("processor", \.machine.processor),
            Member("processor_count", \.machine.processorCount),
            Member("memory_bytes", \.machine.memoryBytes), Member("build", \.machine.build),
            Member("threads", \.threadCount), Member("connections", \.connectionCount),
            Member("started_at_ms", \.startedAt),
            .pair("nodes_asked", "nodes", \.askedNodes, { ($0.count, $0.nodeCount) }) {
                asked, nodes in
                guard (0...10_000).contains(nodes), (0...nodes).contains(asked) else {
                    throw ReportFault(sentence: "\(asked) of \(nodes) nodes cannot be asked")
                }
                return AskedNodes(asked, of: nodes)
            },
        ]
    }
}

extension VerificationFigures: ReportObject {
    static var empty: Self { VerificationFigures() }

    static var members: [Member] {
        [
            .derived("answers_checked") { $0.answersChecked.json },
            Member("fresh", \.freshCount), Member("promised", \.promisedCount),
            Member("stale", \.staleCount), Member("unfenced", \.unfencedCount),
            Member("misses", \.missCount), Member("fills_refused", \.fillsRefused),
            Member("changes", \.changeCount), Member("receipts_complete", \.receiptsComplete),
            Member("receipts_incomplete", \.receiptsIncomplete),
            Member("violation_count", \.violationCount), Member("ended_run", \.endedTheRun),
            Member("violations", \.violations),
        ]
    }
}

extension ViolationFigures: ReportObject {
    static var empty: Self { ViolationFigures(key: [], sentence: "") }

    static var members: [Member] {
        [
            // A second member has a key that is not UTF-8.
            Member(
                write: { JSONDocument.members("key", $0.key) },
                read: { violation, stored in
                    let text = try String(reading: stored["key"] ?? .null)
                    let bytes = try String?(reading: stored["key_base64"] ?? .null)
                        .flatMap { Data(base64Encoded: $0) }
                    violation.key = bytes.map(Array.init) ?? Array(text.utf8)
                }),
            Member("sentence", \.sentence), Member("phase", \.phase),
            Member("at_seconds", \.atSeconds), Member("history", \.history),
        ]
    }
}

extension PhaseFigures: ReportObject {
    static var empty: Self { PhaseFigures(name: "") }

    static var members: [Member] {
        [
            Member("name", \.name), Member("warm_up", \.isWarmUp), Member("asked", \.asked),
            Member("offset_seconds", \.offsetSeconds), Member("seconds", \.seconds),
            Member("cut_short", \.wasCutShort),
            .derived("keys_per_second") { .rate($0.keysPerSecond) },
            .derived("hit_ratio") { $0.hitRatio.json },
            .derived("latency_us") { .microseconds($0.latency) },
            Member("operations", \.operations), Member("schedule", \.schedule),
            .nested(
                "generator",
                [
                    Member("processor_seconds", \.generator.processorSeconds),
                    Member("thread_seconds", \.generator.threadSeconds),
                    .derived("ns_per_key") {
                        ($0.generator.nanosecondsPerKey($0.keyCount)?.rounded()).json
                    },
                    Member("limit", \.generator.limitName),
                ]),
            Member(
                write: {
                    [
                        ("moment_seconds", $0.series.momentSeconds.json),
                        ("moments", $0.series.moments.json),
                    ]
                }, read: readSeries),
        ]
    }

    private static func readSeries(
        _ phase: inout PhaseFigures, _ stored: JSONDocument.Members
    ) throws {
        let seconds = try Double(reading: stored["moment_seconds"] ?? .null)
        let moments = try [Moment](reading: stored["moments"] ?? .null)
        guard (0.001...1e6).contains(seconds), moments.count <= MomentSeries.momentCountMax
        else { throw ReportFault(sentence: "its moments do not fit together") }
        phase.series = MomentSeries(momentSeconds: seconds, moments: moments)
    }
}

extension GeneratorFigures {
    /// A later version may have limits that this one does not know.
    fileprivate var limitName: String? {
        get { limit?.rawValue }
        set { limit = newValue.flatMap(Limit.init) }
    }
}

extension OperationFigures: ReportObject {
    static var empty: Self { OperationFigures(kind: "") }

    static var members: [Member] {
        [
            Member("kind", \.kind), Member("invalidation", \.isInvalidation),
            Member("operations", \.operationCount), Member("keys", \.keyCount),
            Member("hits", \.hitCount), Member("misses", \.missCount),
            Member("stale", \.staleCount), Member("errors", \.errors),
            .counted("repeated", \.repeatedCount), Member("value_bytes", \.valueBytes),
            .derived("latency_us") { .microseconds($0.latency) },
            .histogram("histogram", \.latency),
        ]
    }
}

extension ScheduleFigures: ReportObject {
    static var empty: Self { ScheduleFigures() }

    static var members: [Member] {
        [
            Member("keys_per_second", \.ratePerSecond), Member("due", \.dueCount),
            Member("not_sent", \.notSentCount), Member("backlog_max", \.backlogMax),
            .derived("lateness_us") { .microseconds($0.lateness) },
            .histogram("histogram", \.lateness),
        ]
    }
}

extension Moment: ReportObject {
    static var empty: Self { Moment() }

    static var members: [Member] {
        [
            Member("seconds", \.seconds), Member("operations", \.operationCount),
            Member("keys", \.keyCount), Member("hits", \.hitCount),
            Member("misses", \.missCount), Member("errors", \.errorCount),
            Member("not_sent", \.notSentCount),
            .derived("latency_us") { .microseconds($0.latency) },
            .histogram("histogram", \.latency),
            .histogram("invalidation_histogram", \.invalidationLatency),
        ]
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
}
