import ByteCoding
import CacheHTTP
import CacheModel
import EssentialFoundation
import MartletClient

/// How the nouns of the cache are written in JSON.
extension JSONDocument {
    static func position(_ position: LogPosition) -> JSONDocument { .text(position.description) }

    /// A position, with the cluster that it is of where that is known.
    static func place(_ position: LogPosition?, of cluster: ClusterID) -> [Member] {
        [("position", .optional(position, JSONDocument.position))]
            + members(of: position == nil ? .none : cluster)
    }

    static func node(_ node: NodeID) -> JSONDocument { .text(node.name) }

    /// `null` for none.
    static func version(_ version: Version) -> JSONDocument {
        version == .none ? .null : .unsigned(version.rawValue)
    }

    /// 32 hexadecimal digits; `null` for none.
    static func operation(_ operation: OperationID) -> JSONDocument {
        operation == .none ? .null : .digits(operation.high, operation.low)
    }

    /// 16 hexadecimal digits for each number.
    static func digits(_ numbers: UInt64...) -> JSONDocument {
        .text(
            numbers.map { number in
                HexText.text(of: withUnsafeBytes(of: number.bigEndian) { Array($0) })
            }.joined())
    }

    /// One node of a receipt.
    static func receiptLine(_ line: InvalidationReceipt.Line) -> JSONDocument {
        .object([("node", .node(line.node)), ("ms", .exactMilliseconds(line.elapsed))])
    }

    /// Whole milliseconds.
    static func milliseconds(_ duration: Duration) -> JSONDocument {
        .unsigned(duration.wholeMilliseconds)
    }

    /// Milliseconds with the microseconds after the point.
    static func exactMilliseconds(_ duration: Duration) -> JSONDocument {
        .decimal(Double(duration.wholeNanoseconds / 1_000) / 1_000)
    }

    /// A name of bytes as text. If it is not UTF-8 a second member, `NAME_base64`, has what the
    /// text cannot say.
    static func members(_ name: String, _ bytes: [UInt8]) -> [Member] {
        let text = String(decoding: bytes, as: UTF8.self)
        let members: [Member] = [(name, .text(text))]
        if Array(text.utf8) == bytes { return members }
        return members + [(name + "_base64", .base64(bytes))]
    }

    /// A value as text; one that is not UTF-8 is `null`, and a second member, `value_base64`, has
    /// its bytes.
    static func value(_ bytes: [UInt8]?) -> [Member] {
        guard let bytes else { return [("value", .null)] }
        if let text = String(validating: bytes, as: UTF8.self) { return [("value", .text(text))] }
        return [("value", .null), ("value_base64", .base64(bytes))]
    }

    /// Tags as texts. If one is not UTF-8 a second member, `tags_base64`, has all of them.
    static func tags(_ tags: [[UInt8]]) -> [Member] {
        let named = tags.map { members("tag", $0) }
        let texts: [Member] = [("tags", .list(named.map { $0[0].value }))]
        if named.allSatisfy({ $0.count == 1 }) { return texts }
        return texts + [("tags_base64", .list(tags.map(base64)))]
    }

    /// What an invalidation covers: `kind` as it is typed, then what it names.
    static func scope(_ scope: Scope) -> JSONDocument {
        var members: [Member]
        switch scope.target {
        case .key(let key, let namespace):
            members = named("key", key.bytes, in: namespace)
        case .tag(let tag, let namespace):
            members = named("tag", tag.bytes, in: namespace)
        case .prefix(let prefix, let namespace):
            members = named("prefix", prefix, in: namespace)
        case .namespace(let namespace):
            members = [("kind", .text("namespace")), ("name", .text(namespace.name))]
        case .everything:
            members = [("kind", .text("all"))]
        }
        if let membership = scope.membership {
            let names = membership.members?.map { JSONDocument.node($0.node) }
            members.append(("members", .optional(names) { .list($0) }))
            members.append(("settled", .bool(membership.isSettled)))
        }
        if let version = scope.minimumVersion {
            members.append(("min_version", .unsigned(version.rawValue)))
        }
        if let range = scope.hashRange {
            let bounds = [range.lowerBound, range.upperBound].map(JSONDocument.unsigned)
            members.append(("hash_range", .list(bounds)))
        }
        return .object(members)
    }

    private static func named(
        _ kind: String, _ bytes: [UInt8], in namespace: Namespace
    ) -> [Member] {
        [("kind", .text(kind))] + members("name", bytes) + [("namespace", .text(namespace.name))]
    }

    /// Any bytes, in base64.
    static func base64(_ bytes: [UInt8]) -> JSONDocument {
        .text(Data(bytes).base64EncodedString())
    }
}
