import CacheModel

/// The cluster that a node belongs to: that of the log which it follows. docs/decisions/0089.
///
/// The publisher reports its log and its cluster together. A node that learns of another log hides
/// its entries before it follows that log, and only then belongs to the other cluster: entries of
/// one cluster are never served in the name of another.
struct ClusterMembership: Sendable {
    /// None until it is reported.
    private(set) var cluster = ClusterID.none
    private var told: (cluster: ClusterID, log: LogID) = (.none, .none)

    /// The publisher reports its cluster and its current log. None has no effect.
    mutating func heard(_ cluster: ClusterID, of log: LogID) {
        if cluster != .none { told = (cluster, log) }
    }

    /// The node follows that log, as far as it knows: nothing contradicts it.
    mutating func follows(_ log: LogID) {
        if log != .none, told.log == log { cluster = told.cluster }
    }
}
