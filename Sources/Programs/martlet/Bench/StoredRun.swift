import Histogram
import LoadTest

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A report that was written before, read back to be joined with others or shown once more.
/// What is derived from other members is not read but derived again.
struct StoredRun: Decodable {
    /// Grows when a member that is read here changes its meaning.
    static let format = 1

    /// - Throws: ``Fault`` for whatever is not such a report.
    static func figures(in bytes: some Sequence<UInt8>) throws(Fault) -> RunFigures {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            let run = try decoder.decode(StoredRun.self, from: Data(bytes))
            guard run.reportFormat == format else {
                throw Fault(sentence: "its format is \(run.reportFormat), not \(format)")
            }
            return try run.figures()
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(sentence: "this is not the JSON of martlet bench")
        }
    }

    /// Why a report cannot be used.
    struct Fault: Error, Equatable, CustomStringConvertible {
        var sentence: String
        var description: String { sentence }
    }

    struct Fact: Decodable {
        var name: String
        var value: String
    }

    var reportFormat: Int
    var title: String
    var version: String
    var subject: String
    var asked: [Fact]
    var echo: Bool
    var echoKeysPerSecond: Double?
    var cutShort: Bool
    var failure: String?
    var workers: [StoredWorker]
    var phases: [StoredPhase]
    var verification: StoredVerification?

    private func figures() throws(Fault) -> RunFigures {
        var run = RunFigures(title: title, version: version, subject: subject)
        run.asked = asked.map { RunFigures.Fact($0.name, $0.value) }
        run.isEcho = echo
        run.echoKeysPerSecond = try Self.bounded(echoKeysPerSecond)
        run.wasCutShort = cutShort
        run.failure = failure
        for worker in workers { run.workers.append(try worker.figures()) }
        for phase in phases { run.phases.append(try phase.figures()) }
        run.verification = try verification?.figures()
        return run
    }

    // MARK: Bounds

    /// More than any load test counts, and little enough to be added up.
    static func count(_ value: UInt64) throws(Fault) -> UInt64 {
        guard value <= 1 << 53 else { throw Fault(sentence: "\(value) is no count of a load test") }
        return value
    }

    /// Seconds of at most a year; a rate of at most a thousand million.
    static func bounded(_ value: Double) throws(Fault) -> Double {
        guard (0...1e9).contains(value) else {
            throw Fault(sentence: "\(value) is neither a time nor a rate of a load test")
        }
        return value
    }

    static func bounded(_ value: Double?) throws(Fault) -> Double? {
        guard let value else { return nil }
        return try bounded(value) as Double
    }
}

/// One process that made load, as a report has it.
struct StoredWorker: Decodable {
    var part: Int?
    var parts: Int?
    var hostName: String?
    var system: String?
    var processor: String?
    var processorCount: Int?
    var memoryBytes: UInt64?
    var build: String?
    var threads: Int
    var connections: Int
    var startedAtMs: UInt64?
    var nodesAsked: Int?
    var nodes: Int?

    func figures() throws(StoredRun.Fault) -> WorkerFigures {
        var machine = MachineFacts()
        machine.hostName = hostName
        machine.system = system
        machine.processor = processor
        machine.processorCount = processorCount
        machine.memoryBytes = memoryBytes
        machine.build = build
        var worker = WorkerFigures(
            machine: machine, threadCount: threads, connectionCount: connections)
        worker.startedAt = try startedAtMs.map(StoredRun.count)
        if let nodesAsked, let nodes {
            guard (0...10_000).contains(nodes), (0...nodes).contains(nodesAsked) else {
                throw StoredRun.Fault(sentence: "\(nodesAsked) of \(nodes) nodes cannot be asked")
            }
            worker.askedNodes = WorkerFigures.AskedNodes(nodesAsked, of: nodes)
        }
        if let part, let parts {
            guard (1...10_000).contains(parts), (1...parts).contains(part) else {
                throw StoredRun.Fault(sentence: "\(part)/\(parts) is no part of a load test")
            }
            worker.part = WorkerFigures.Part(number: part, of: parts)
        }
        return worker
    }
}

/// What `--verify` found, as a report has it.
struct StoredVerification: Decodable {
    struct Violation: Decodable {
        var key: String
        /// There if the key is not UTF-8.
        var keyBase64: String?
        var sentence: String
        var phase: String?
        var atSeconds: Double?
        var history: [String]
    }

    var fresh: UInt64
    var promised: UInt64
    var stale: UInt64
    var unfenced: UInt64
    var misses: UInt64
    var fillsRefused: UInt64
    var changes: UInt64
    var receiptsComplete: UInt64
    var receiptsIncomplete: UInt64
    var violationCount: UInt64
    var endedRun: Bool
    var violations: [Violation]

    func figures() throws(StoredRun.Fault) -> VerificationFigures {
        var figures = VerificationFigures()
        figures.freshCount = try StoredRun.count(fresh)
        figures.promisedCount = try StoredRun.count(promised)
        figures.staleCount = try StoredRun.count(stale)
        figures.unfencedCount = try StoredRun.count(unfenced)
        figures.missCount = try StoredRun.count(misses)
        figures.fillsRefused = try StoredRun.count(fillsRefused)
        figures.changeCount = try StoredRun.count(changes)
        figures.receiptsComplete = try StoredRun.count(receiptsComplete)
        figures.receiptsIncomplete = try StoredRun.count(receiptsIncomplete)
        figures.violationCount = try StoredRun.count(violationCount)
        figures.endedTheRun = endedRun
        for stored in violations {
            let bytes = stored.keyBase64.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
            var violation = ViolationFigures(
                key: bytes ?? Array(stored.key.utf8), sentence: stored.sentence)
            violation.phase = stored.phase
            violation.atSeconds = try StoredRun.bounded(stored.atSeconds)
            violation.history = stored.history
            figures.violations.append(violation)
        }
        return figures
    }
}

/// A histogram, as a report has it.
struct StoredHistogram: Decodable {
    var count: UInt64
    var minNs: UInt64
    var maxNs: UInt64
    var hdr: String

    /// - Parameter empty: has as many digits as it has to have, or the two cannot be added.
    func figures(like empty: LatencyHistogram) throws(StoredRun.Fault) -> LatencyHistogram {
        guard minNs <= maxNs, let bytes = Data(base64Encoded: hdr) else {
            throw Self.fault
        }
        do {
            let histogram = try EncodedHistogram.histogram(
                from: Array(bytes), range: minNs...maxNs)
            guard histogram.totalCount == count, count <= 1 << 53,
                histogram.numberOfSignificantValueDigits == empty.numberOfSignificantValueDigits
            else { throw Self.fault }
            return histogram
        } catch {
            throw Self.fault
        }
    }

    private static let fault = StoredRun.Fault(sentence: "one of its histograms is damaged")
}
