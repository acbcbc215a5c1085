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
