import ByteCoding
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

struct GetReport {
    struct Answer {
        var key: CacheKey
        /// `nil` within: the key is not there.
        var result: Result<CachedValue?, CacheError>
    }

    var answers: [Answer]
    /// Whether a stale value is no answer.
    var isFreshDemanded = false
    /// Those that were tried.
    var endpoints: [String]
    /// Of which cluster positions are; none where that is not known.
    var cluster = ClusterID.none

    /// How values are written for people and pipes.
    enum Manner {
        /// Their bytes, a line each.
        case lines
        /// Their bytes, with nothing between.
        case raw
        /// A line each, with escapes for what could steer a terminal.
        case screen
    }

    func output(_ style: OutputStyle, _ manner: Manner = .lines) -> CommandOutput {
        var output = CommandOutput()
        var isEscaped = false
        var failures: [(key: String, error: CacheError)] = []
        for answer in answers {
            if style == .json { output.writeLine(json(answer)) }
            switch answer.result {
            case .success(let value?):
                let isServed = tell(answer.key, value, in: &output)
                guard isServed, style != .json else { continue }
                isEscaped = Self.write(value.bytes, manner, into: &output) || isEscaped
            case .success(nil):
                output.complain("not found: \(shown(answer.key))", .notFound)
            case .failure(let error):
                failures.append((shown(answer.key), error))
            }
        }
        if isEscaped {
            output.complain(
                "bytes that a terminal would obey or not show are written as \\xNN; --raw writes "
                    + "them as they are")
        }
        tell(failures, in: &output)
        return output
    }

    /// - Returns: whether something is written as an escape.
    private static func write(
        _ value: [UInt8], _ manner: Manner, into output: inout CommandOutput
    ) -> Bool {
        switch manner {
        case .raw: output.bytes += value
        case .lines: output.bytes += value + "\n".utf8
        case .screen:
            let (text, isEscaped) = HarmlessText.screen(value)
            output.writeLine(text)
            return isEscaped
        }
        return false
    }

    /// Says each reason once: where the cluster is gone, all keys have the same.
    private func tell(
        _ failures: [(key: String, error: CacheError)], in output: inout CommandOutput
    ) {
        var told: Set<String> = []
        for (key, error) in failures where told.insert(error.message).inserted {
            let count = failures.count { $0.error.message == error.message }
            let more = count > 1 ? " and \(count - 1) more" : ""
            output.complain(
                "\(key)\(more): \(error.sentence(endpoints: endpoints))", ExitStatus(error))
        }
    }

    private func shown(_ key: CacheKey) -> String { HarmlessText.line(key.bytes) }

    /// Says so if a value is stale.
    ///
    /// - Returns: whether it is an answer to what was asked.
    private func tell(
        _ key: CacheKey, _ value: CachedValue, in output: inout CommandOutput
    ) -> Bool {
        if value.isOvertaken {
            output.complain(
                "\(shown(key)) was invalidated while it was loaded: this value may be from before "
                    + "that; ask again")
        }
        guard value.isStale else { return true }
        if isFreshDemanded {
            output.complain(
                "\(shown(key)) is there, but not fresh: \(Self.doubt(value))", .notFresh)
            return false
        }
        output.complain("\(shown(key)) is stale: \(Self.doubt(value))")
        return true
    }

    /// Why a stale value is not fresh.
    static func doubt(_ value: CachedValue) -> String {
        let node = value.node.map { "node \($0)" } ?? "the node"
        if let state = value.state, !state.hasLease {
            return "\(node) is \(state) and cannot vouch for it"
        }
        return value.isSoftInvalidated
            ? "a soft invalidation covers it (\(node) at \(value.position))"
            : "its lifetime is over, and its origin was not asked or did not answer"
    }

    private func json(_ answer: Answer) -> JSONDocument {
        var members = JSONDocument.members("key", answer.key.bytes)
        switch answer.result {
        case .success(let value):
            members.append(("found", .bool(value != nil)))
            members += Self.members(value, of: cluster)
        case .failure(let error):
            members.append(("found", .null))
            members += Self.members(nil, of: .none)
            members.append(("error", .text(error.description)))
        }
        return .object(members)
    }

    private static func members(
        _ value: CachedValue?, of cluster: ClusterID
    ) -> [JSONDocument.Member] {
        let position = value?.position ?? .none
        var members = JSONDocument.value(value?.bytes)
        members.append(("version", .version(value?.version ?? .none)))
        members += value?.etag.map { JSONDocument.members("etag", $0.bytes) } ?? [("etag", .null)]
        members += JSONDocument.tags((value?.tags ?? []).map(\.bytes))
        members += JSONDocument.members(of: value?.representation ?? Representation())
        members += [
            ("age_ms", .optional(value?.age, JSONDocument.milliseconds)),
            ("ttl_ms", .optional(value?.timeToLive, JSONDocument.milliseconds)),
            ("tier", .optional(value?.tier) { .text($0.description) }),
            ("state", .optional(value?.state) { .text($0.description) }),
            ("stale", .optional(value?.isStale, JSONDocument.bool)),
            ("fenced", .optional(value?.isFenced, JSONDocument.bool)),
            ("overtaken", .optional(value?.isOvertaken, JSONDocument.bool)),
        ]
        members += JSONDocument.place(position == .none ? nil : position, of: cluster)
        members.append(("node", .optional(value?.node, JSONDocument.node)))
        return members
    }
}
