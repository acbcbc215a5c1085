import CacheInvalidation
import CacheModel
import LogFiles

/// The log that a publisher begins with, and what is known of it.
struct PublisherLog<Log: InvalidationLog> {
    let log: Log
    /// Names the log if it has to begin anew.
    let freshID: LogID
    /// The thread that writes; `nil` for a log in memory.
    var keeper: LogKeeper?
    /// What an earlier publisher kept of the pacings.
    var pacings: [UInt8]?
    /// What an earlier publisher kept of whose life of each node was the last.
    var nodes: [UInt8]?
    /// What an earlier publisher kept of which cluster this is.
    var cluster: [UInt8]?
    /// Names the cluster if nobody knows its name.
    let freshCluster: ClusterID
}
