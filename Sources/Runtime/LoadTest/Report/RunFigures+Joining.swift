extension RunFigures {
    /// Joins the reports of several processes that did one load test together, each with its part.
    ///
    /// Phases are joined by their index and must be equal. Each process counts time from its own
    /// start; ``startSpread`` is the distance of these starts.
    ///
    /// - Parameter reports: at least one; the first gives title and version. Several reports must
    ///   have different parts: nothing else distinguishes a second machine from the same report
    ///   again.
    /// - Throws: ``JoinFault`` if they are not parts of one load test.
    package static func joined(_ reports: [RunFigures]) throws(JoinFault) -> RunFigures {
        guard var joined = reports.first else { throw .nothing }
        guard reports.count == 1 || reports.allSatisfy(\.hasParts) else { throw .noPart }
        for report in reports.dropFirst() { try joined.join(report) }
        joined.workers.sort { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
        return joined
    }

    private var hasParts: Bool { !workers.isEmpty && workers.allSatisfy { $0.part != nil } }

    private mutating func join(_ other: RunFigures) throws(JoinFault) {
        try checkFits(other)
        for index in phases.indices { phases[index].merge(other.phases[index]) }
        workers += other.workers
        if subject != other.subject { subject += " + " + other.subject }
        for fact in other.asked where !asked.contains(fact) { asked.append(fact) }
        if let added = other.verification {
            if verification == nil { verification = added } else { verification?.merge(added) }
        }
        if let keys = echoKeysPerSecond, let added = other.echoKeysPerSecond {
            echoKeysPerSecond = keys + added
        } else {
            echoKeysPerSecond = nil
        }
        wasCutShort = wasCutShort || other.wasCutShort
        failure = failure ?? other.failure
    }

    private func checkFits(_ other: RunFigures) throws(JoinFault) {
        guard version == other.version else { throw .versions(version, other.version) }
        guard isEcho == other.isEcho else { throw .echo }
        let names = phases.map(\.name)
        let otherNames = other.phases.map(\.name)
        guard names == otherNames, phases.map(\.isWarmUp) == other.phases.map(\.isWarmUp) else {
            throw .phases(names, otherNames)
        }
        let parts = workers.compactMap(\.part)
        for part in other.workers.compactMap(\.part) {
            guard !parts.contains(where: { $0.number == part.number }) else { throw .twice(part) }
            guard parts.allSatisfy({ $0.count == part.count }) else {
                throw .counts(parts[0].count, part.count)
            }
        }
    }

    /// Parts of the load test without a report; empty if all are there, or if no report names a
    /// part.
    package var missingParts: [WorkerFigures.Part] {
        let parts = workers.compactMap(\.part)
        guard let count = parts.first?.count else { return [] }
        let numbers = Set(parts.map(\.number))
        return (1...count).filter { !numbers.contains($0) }.map {
            WorkerFigures.Part(number: $0, of: count)
        }
    }
}

/// Why reports are not parts of one load test.
package enum JoinFault: Error, Equatable, CustomStringConvertible {
    case nothing
    case versions(String, String)
    /// One report is of an echo, another of a cluster.
    case echo
    case phases([String], [String])
    /// A report does not name its part.
    case noPart
    /// Two reports of one part.
    case twice(WorkerFigures.Part)
    /// The reports name different numbers of parts.
    case counts(Int, Int)

    package var description: String {
        switch self {
        case .nothing: "there is no report to join"
        case .versions(let one, let other):
            "one report is of Martlet \(one), another of \(other)"
        case .echo: "one report is of an echo, another of a cluster"
        case .phases(let one, let other):
            "one report has the phases \(Self.list(one)), another \(Self.list(other))"
        case .noPart:
            "one report says not which part of the load test it is (bench --worker 1/2 does)"
        case .twice(let part): "there are two reports of part \(part)"
        case .counts(let one, let other): "one report is a part of \(one), another of \(other)"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}
