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
