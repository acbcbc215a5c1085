package import CacheLoading

extension PeerDesk {
    /// Actions for the shell, to be performed in order.
    package enum Action: Equatable, Sendable {
        /// Send a frame to a peer's shard, over a connection that may have to be opened first. If
        /// it cannot be sent, or the connection breaks: `broke`.
        case send(endpoint: String, [UInt8])
        /// Send a frame to a peer's shard if there is a connection, and do nothing otherwise.
        case probe(endpoint: String, [UInt8])
        /// The connection to a peer's shard is no longer needed.
        case close(endpoint: String)
        /// Ask the origin. The request's `timeout` is the remaining time of the load.
        case askOrigin(LoadTicket, OriginRequest, LoadUrgency)
        /// The end of a load, for the shard that asked.
        case answer(LoadTicket, LoadOutcome)
    }
}
