import CacheModel

/// Which cluster a node belongs to: that of the log which it follows. docs/decisions/0089.
///
/// The publisher names its log and its cluster together. A node that hears of another log hides
/// what it holds before it follows that one, and only then is it of the other cluster: nothing of
/// one is ever shown in the name of another.
struct ClusterMembership: Sendable {
    /// None while nobody has told.
    private(set) var cluster = ClusterID.none
    private var told: (cluster: ClusterID, log: LogID) = (.none, .none)

    /// The publisher names its cluster, and the log that it has now. None says nothing.
    mutating func heard(_ cluster: ClusterID, of log: LogID) {
        if cluster != .none { told = (cluster, log) }
    }

    /// The node follows that log, as far as it knows: nothing contradicts it.
    mutating func follows(_ log: LogID) {
        if log != .none, told.log == log { cluster = told.cluster }
    }
}
