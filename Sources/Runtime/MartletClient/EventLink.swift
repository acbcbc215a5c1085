import CacheModel
import Threading
import ZeroMQ

/// The endpoints of the thread that follows the log, and its wakeup.
struct EventLink: Sendable {
    let context: Context
    let live: Endpoint
    let control: Endpoint
    let wakeup: Wakeup
    /// The cluster of that publisher, sent with each question; none if it is unknown.
    let cluster: ClusterID
    /// The client's key pair, for a cluster that authenticates clients.
    let keys: CurveKeyPair?
}
