import CacheAccess
import CacheInvalidation
import CacheModel
import PublisherCore
import SharedLogCore
import Storage
import Threading
import ZeroMQ

/// What other threads tell the one that owns the publisher.
enum PublisherLetter: Sendable {
    case reload(PublisherPlan)
    /// How many changes of the configuration file are refused.
    case refusedChanges(Int)
    /// The entries of the list that are in force now.
    case access(AccessTable)
    /// The log's thread has something to tell.
    case log(LogNews)
    /// The thread of etcd has something to tell.
    case shared(SharedLogKeeper.News)
    /// Say that it turns.
    case pulse(Pulse)
    /// Tell of itself.
    case report(@Sendable (PublisherReport) -> Void)
    case stop
    /// The same, because of something that must not have happened.
    case fail(ZeroMQError)
}

/// The log that a publisher begins with, and what is known of it.
struct PublisherLog<Log: InvalidationLog> {
    let log: Log
    /// Names the log if it has to begin anew.
    let freshID: LogID
    let storage: StorageThread
    /// The pacings as an earlier publisher stored them.
    let pacings: [UInt8]?
    /// The last runs of each node, as an earlier publisher stored them.
    let nodes: [UInt8]?
    /// The identity of the cluster, as an earlier publisher stored it.
    let cluster: [UInt8]?
    /// The owners of slots, as an earlier publisher stored them.
    let slots: [UInt8]?
    /// The identity of the cluster if no node knows one.
    let freshCluster: ClusterID
}

extension PublisherLog {
    /// A log that is lost with its process.
    init(inMemory log: Log, freshID: LogID, freshCluster: ClusterID) {
        self.init(
            log: log, freshID: freshID, storage: .memory, pacings: nil, nodes: nil, cluster: nil,
            slots: nil, freshCluster: freshCluster)
    }
}
