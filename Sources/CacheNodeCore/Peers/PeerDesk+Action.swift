package import CacheLoading

extension PeerDesk {
    /// What the shell is to do, in this order.
    package enum Action: Equatable, Sendable {
        /// Send a frame to a peer's shard, over a connection that may still have to be made. If it
        /// cannot be sent, or the connection breaks: `broke`.
        case send(endpoint: String, [UInt8])
        /// Send a frame to a peer's shard if there is a connection, and do nothing otherwise.
        case probe(endpoint: String, [UInt8])
        /// Nothing is wanted of a peer's shard any more.
        case close(endpoint: String)
        /// The origin is to be asked. The request's `timeout` is what the load has left.
        case askOrigin(LoadTicket, OriginRequest, LoadUrgency)
        /// The end of a load, for the shard that asked.
        case answer(LoadTicket, LoadOutcome)
    }
}
