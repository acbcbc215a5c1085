import CacheInvalidation
import CacheModel
import Storage

/// The log that a publisher begins with, and what is known of it.
struct PublisherLog<Log: InvalidationLog> {
    let log: Log
    /// Names the log if it has to begin anew.
    let freshID: LogID
    /// The thread that writes; `nil` for a log in memory.
    var keeper: LogKeeper?
    /// The pacings as an earlier publisher stored them.
    var pacings: [UInt8]?
    /// The last runs of each node, as an earlier publisher stored them.
    var nodes: [UInt8]?
    /// The identity of the cluster, as an earlier publisher stored it.
    var cluster: [UInt8]?
    /// The identity of the cluster if no node knows one.
    let freshCluster: ClusterID
}
