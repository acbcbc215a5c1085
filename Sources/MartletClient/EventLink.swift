import CacheModel
import Threading
import ZeroMQ

/// What the thread that follows the log connects to, and what wakes it.
struct EventLink: Sendable {
    let context: Context
    let live: Endpoint
    let control: Endpoint
    let wakeup: Wakeup
    /// The cluster of that publisher, sent with each question; none if it is unknown.
    let cluster: ClusterID
    /// Who this client is, to a cluster that asks.
    let keys: CurveKeyPair?
}
