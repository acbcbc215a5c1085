import ByteCoding
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

/// What became of a `set`.
struct SetReport {
    var key: CacheKey
    var outcome: Result<StoreResult, CacheError>
    /// Those that were tried.
    var endpoints: [String]
    /// Of which cluster the position is; none where that is not known.
    var cluster = ClusterID.none

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        if style == .json { output.writeLine(json) }
        switch outcome {
        case .success(let result):
            if style != .json { output.writeLine(sentence(result)) }
        case .failure(let error):
            let key = HarmlessText.line(key.bytes)
            let verdict = error.mayHaveHappened ? "no answer about" : "did not store"
            output.complain(
                "\(verdict) \(key): \(error.sentence(endpoints: endpoints))", ExitStatus(error))
        }
        return output
    }

    private func sentence(_ result: StoreResult) -> String {
        if result.isQueued {
            let node = result.node.map { " on \($0)" } ?? ""
            return "queued\(node): the origin does not accept it now; it is sent later"
        }
        let nodes = result.storedOn.map(\.name).joined(separator: ", ")
        let place = nodes.isEmpty ? "" : " on \(nodes)"
        let doubt =
            result.isFenced
            ? "" : " (unfenced: nothing proves that the value is newer than the last invalidation)"
        return "stored at \(ClusterPosition(result.position, of: cluster))\(place)\(doubt)"
    }

    private static func queued(_ result: StoreResult) -> JSONDocument {
        .object([("queued", .bool(true)), ("node", .optional(result.node, JSONDocument.node))])
    }

    private func stored(_ result: StoreResult) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("stored", .bool(true)), ("fenced", .bool(result.isFenced)),
            ("position", .position(result.position)),
        ]
        members += JSONDocument.members(of: cluster)
        members += [
            ("node", .optional(result.node, JSONDocument.node)),
            ("stored_on", .list(result.storedOn.map(JSONDocument.node))),
        ]
        return .object(members)
    }

    private var json: JSONDocument {
        switch outcome {
        case .success(let result) where result.isQueued: Self.queued(result)
        case .success(let result): stored(result)
        case .failure(let error):
            .object([
                ("stored", error.mayHaveHappened ? .null : .bool(false)), ("fenced", .null),
                ("position", .null), ("node", .null), ("stored_on", .list([])),
                ("error", .text(error.description)),
            ])
        }
    }
}
