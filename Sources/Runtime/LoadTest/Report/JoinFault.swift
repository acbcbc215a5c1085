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
