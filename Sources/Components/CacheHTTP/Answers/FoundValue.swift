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
