package import CacheModel
import CacheWire

/// A node's identity in its HELLO to the publisher.
package struct NodeControlIdentity: Hashable, Sendable {
    package let node: NodeID
    package let incarnation: Incarnation
    /// The client endpoints of the shards: one for each, 1 to 64.
    package let endpoints: [String]
    /// Its weight if the publisher may take it in though no configuration lists it.
    package let joinWeight: JoinWeight

    package init(
        node: NodeID, incarnation: Incarnation, endpoints: [String],
        joinWeight: JoinWeight = .none
    ) {
        precondition(!endpoints.isEmpty, "a node has at least one shard")
        precondition(incarnation != .none, "every run of a node has an incarnation")
        self.node = node
        self.incarnation = incarnation
        self.endpoints = endpoints
        self.joinWeight = joinWeight
    }

    /// The message by which it introduces itself.
    func hello(from log: LogID, _ applied: LogMark, of cluster: ClusterID) -> Hello {
        var hello = Hello(
            incarnation: incarnation, log: log, applied: applied, node: node, endpoints: endpoints)
        hello.cluster = cluster
        hello.knowsSlots = true
        hello.joinWeight = joinWeight
        return hello
    }
}

/// A shard's index in its node, from 0.
package struct ShardIndex: Hashable, Comparable, Sendable {
    package let rawValue: Int

    package init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The position from which a node continues with the entries that it has on disk.
package struct LogResumption: Hashable, Sendable {
    package let log: LogID
    /// The position that every shard has applied. A shard that has applied more receives some
    /// records again.
    package let mark: LogMark

    package init(log: LogID, mark: LogMark) {
        precondition(log != .none && mark.position.epoch != .none, "it followed a log")
        self.log = log
        self.mark = mark
    }
}

/// The cluster that a node belongs to: that of the log which it follows. docs/decisions/0089.
///
/// The publisher reports its log and its cluster together. A node that learns of another log hides
/// its entries before it follows that log, and only then belongs to the other cluster: entries of
/// one cluster are never served in the name of another.
struct ClusterMembership: Sendable {
    /// None until it is reported.
    private(set) var cluster = ClusterID.none
    private var reported: (cluster: ClusterID, log: LogID) = (.none, .none)
    /// Whether the newest topology report gives the keys to their owners by slots.
    var isBySlots = false

    /// The publisher reports its cluster and its current log. None has no effect.
    mutating func received(_ cluster: ClusterID, of log: LogID) {
        if cluster != .none { reported = (cluster, log) }
    }

    /// The node follows that log, as far as it knows: nothing contradicts it.
    mutating func follows(_ log: LogID) {
        if log != .none, reported.log == log { cluster = reported.cluster }
    }
}
