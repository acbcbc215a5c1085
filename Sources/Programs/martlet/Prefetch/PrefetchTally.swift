import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

/// What has become of the keys of a prefetch so far.
struct PrefetchTally {
    /// Keys that do not get through one after the other before the command ends.
    static let failuresInARowMax = 20

    /// The keys that failed for one cause.
    private struct Failure {
        var cause: String
        var first: CacheKey
        var count = 1
        var status: ExitStatus
    }

    private let namespace: Namespace
    private var counts: [PrefetchOutcome: Int] = [:]
    private var failures: [Failure] = []
    private var failuresInARow = 0
    /// Every line up to this one is done.
    private(set) var doneUpTo: Int
    /// Lines that are done, with others before them that are not.
    private var doneAhead: Set<Int> = []
    var isStopped = false
    private var ending: CommandFailure?

    /// - Parameter skip: lines that were done before.
    init(namespace: Namespace, skip: Int) {
        self.namespace = namespace
        doneUpTo = skip
    }

    func count(_ outcome: PrefetchOutcome) -> Int { counts[outcome, default: 0] }
    var failedCount: Int { failures.reduce(0) { $0 + $1.count } }
    var keyCount: Int { counts.values.reduce(failedCount, +) }

    /// Takes the end of one key.
    ///
    /// - Throws: ``CommandFailure`` if it makes no sense to ask for others.
    mutating func add(
        _ item: PrefetchRun.Item, _ result: Result<PrefetchOutcome, CacheError>
    ) throws(CommandFailure) {
        switch result {
        case .success(let outcome):
            counts[outcome, default: 0] += 1
            failuresInARow = 0
        case .failure(let error):
            if let end = endsAll(error) { throw end }
            note(error, of: item.key)
            failuresInARow += 1
            guard failuresInARow < Self.failuresInARowMax else {
                throw CommandFailure(
                    ExitStatus(error),
                    "given up: \(failuresInARow) keys failed one after the other, the last "
                        + "because \(Self.sentence(error))")
            }
        }
        finish(item.number)
    }

    private mutating func finish(_ number: Int) {
        doneAhead.insert(number)
        while doneAhead.remove(doneUpTo + 1) != nil { doneUpTo += 1 }
    }

    private mutating func note(_ error: CacheError, of key: CacheKey) {
        let cause = Self.sentence(error)
        if let index = failures.firstIndex(where: { $0.cause == cause }) {
            failures[index].count += 1
        } else {
            failures.append(Failure(cause: cause, first: key, status: ExitStatus(error)))
        }
    }

    private static func sentence(_ error: CacheError) -> String {
        error.loadFailure?.sentence ?? HarmlessText.line(error.message)
    }

    /// What would come to the same for every key.
    private func endsAll(_ error: CacheError) -> CommandFailure? {
        if error.loadFailure == .noOrigin {
            return CommandFailure(
                .refused,
                "namespace \(namespace.name) has no origin to load from; give it one in the "
                    + "cluster's configuration, or name another with --namespace")
        }
        if error.code == .refused, error.refusal == nil {
            return CommandFailure(
                .refused,
                "\(HarmlessText.line(error.message)); a node of a release before this one cannot "
                    + "prefetch: update every node")
        }
        return error.code == .invalidArgument
            ? CommandFailure(error, endpoints: []) : nil
    }

    /// It came to its end before all keys did.
    mutating func end(_ failure: CommandFailure) { ending = failure }

    // MARK: What is said

    /// `1204 keys: 1000 loaded, 180 fresh, 20 absent, 4 not kept`.
    var sentence: String {
        var parts = [
            "\(count(.loaded)) loaded", "\(count(.fresh)) fresh", "\(count(.absent)) absent",
        ]
        if count(.notKept) > 0 { parts.append("\(count(.notKept)) not kept") }
        if failedCount > 0 { parts.append("\(failedCount) failed") }
        return "\(FigureText.count(keyCount, "key")): " + parts.joined(separator: ", ")
    }

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { $0.writeLine(sentence) }
        for failure in failures {
            let more = failure.count > 1 ? " and \(failure.count - 1) more" : ""
            let isAll = failedCount == keyCount
            output.complain(
                "\(HarmlessText.line(failure.first.bytes))\(more): \(failure.cause)",
                isAll ? failure.status : .incomplete)
        }
        if let ending { output.complain(ending.sentence, ending.status) }
        if isStopped { output.complain("stopped", .incomplete) }
        if isStopped || ending != nil, doneUpTo > 0 {
            output.complain("--skip \(doneUpTo) continues after the completed lines")
        }
        return output
    }

    private var json: JSONDocument {
        .object([
            ("keys", .integer(keyCount)), ("loaded", .integer(count(.loaded))),
            ("fresh", .integer(count(.fresh))), ("absent", .integer(count(.absent))),
            ("not_kept", .integer(count(.notKept))), ("failed", .integer(failedCount)),
            (
                "failures",
                .list(
                    failures.map { failure in
                        .object(
                            [
                                ("cause", .text(failure.cause)),
                                ("keys", .integer(failure.count)),
                            ] + JSONDocument.members("first", failure.first.bytes))
                    })
            ),
            ("stopped", .bool(isStopped || ending != nil)), ("skip", .integer(doneUpTo)),
        ])
    }
}
