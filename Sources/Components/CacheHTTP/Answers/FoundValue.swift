package import ByteCoding
package import CacheModel

/// A value as the cluster answered it.
package struct FoundValue: Hashable, Sendable {
    package enum Tier: String, Sendable {
        case memory, disk, origin, unknown
        /// The gateway's own memory, where a node's answer was kept.
        case near
    }

    package var bytes: [UInt8]
    package var version = Version.none
    package var etag: Validator?
    package var tags: [Tag] = []
    package var representation = Representation()
    package var age = Duration.zero
    /// `nil` never expires.
    package var timeToLive: Duration?
    package var tier = Tier.unknown
    package var isStale = false
    package var isSoftInvalidated = false
    /// An invalidation came while it was loaded: right for this answer, and not to be kept.
    package var isOvertaken = false
    /// Its origin forbids to keep it: it is for the client that asked.
    package var mustNotBeKept = false
    /// Whether no invalidation can have been missed between reading it and storing it.
    package var isFenced = true
    /// What it reflects; ``CacheModel/LogPosition/none`` where that is unknown.
    package var position = LogPosition.none
    /// Of which cluster that is; none where it is not known.
    package var cluster = ClusterID.none
    package var node: NodeID?
    package var state: NodeState?

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension EntityTag {
    /// That of a value. What the writer gave goes before its version, and that before the value
    /// itself, which is hashed together with its representation: the same bytes in another coding
    /// are another value.
    package init(of value: FoundValue) {
        if let validator = value.etag {
            let tag = EntityTag(validator.bytes[...], of: .visibleASCII)
            self = tag ?? EntityTag(Self.quoted(validator.bytes))
        } else if value.version != .none {
            self.init(Array("v\(value.version.rawValue)".utf8))
        } else {
            let said = value.representation.stored
            let mark = said.isEmpty ? 0 : StableHash.mix(StableHash.hash(said))
            let digits = String(StableHash.hash(value.bytes) ^ mark, radix: 16)
            self.init(Array("h\(digits)-\(value.bytes.count)".utf8))
        }
    }

    /// The bytes with `%` and digits where they may not stand in an ETag.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        Array(PercentEncoding.word(bytes).replacing("\"", with: "%22").utf8)
    }
}

/// What became of a value that was stored.
package struct StoredValue: Hashable, Sendable {
    package var position: LogPosition
    /// Of which cluster that is; none where it is not known.
    package var cluster = ClusterID.none
    package var isFenced: Bool
    /// Whether its origin is told later.
    package var isQueued: Bool
    package var nodes: [NodeID]

    package init(_ position: LogPosition, isFenced: Bool, isQueued: Bool, nodes: [NodeID]) {
        self.position = position
        self.isFenced = isFenced
        self.isQueued = isQueued
        self.nodes = nodes
    }

    static let nodesField = "Martlet-Stored-On"

    var status: Int { isQueued ? 202 : 204 }

    package var answer: Answer {
        var answer = Answer(status)
        answer.fields.append("Martlet-Position", "\(ClusterPosition(position, of: cluster))")
        answer.fields.append(StoreOrder.fencedField, isFenced ? "?1" : "?0")
        let names = nodes.map(\.name).joined(separator: ", ")
        if !names.isEmpty { answer.fields.append(Self.nodesField, names) }
        return answer
    }
}

/// What a reader is told that found nothing and would fill the key.
package struct FillOffer: Hashable, Sendable {
    /// `nil`: it may not.
    package var right: LoadRight?
    /// When to ask again, because another client loads it; `nil`: none does.
    package var retryAfter: Duration?
    /// Why no client may fill it here now, where a node says so.
    package var reason: String?

    package init() {}

    /// In whole seconds, as `Retry-After` has it; at least 1.
    package var retryAfterSeconds: Int? {
        retryAfter.map { Int(clamping: max(1, ($0.wholeMilliseconds + 999) / 1_000)) }
    }

    /// What there is to do.
    package var problem: Problem {
        if right != nil {
            return Problem(
                .notFound,
                "the key is not there: load it, and PUT it with this \(LoadRight.field)")
        }
        if let retryAfterSeconds {
            return Problem(
                .notFound, "the key is not there, and another is loading it: ask again shortly",
                retryAfterSeconds: retryAfterSeconds)
        }
        let why = reason.map { ": \($0)" } ?? ""
        return Problem(.notFound, "the key is not there, and may not be filled now\(why)")
    }
}
