import LoadTest

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
