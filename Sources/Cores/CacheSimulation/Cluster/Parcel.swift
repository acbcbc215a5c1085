/// A message in flight.
struct Parcel {
    enum Cargo {
        /// Publisher to node, live channel.
        case live([UInt8])
        /// Publisher to node, control channel.
        case control([UInt8])
        /// Node or writer to publisher; `peer` is the sender's ROUTER identity.
        case toPublisher(peer: UInt32, [UInt8])
        /// A node's subscription to one topic.
        case subscription(run: Int)
        /// Client to shard.
        case request(ShardPlace, [UInt8])
        /// Shard to client: decoded at its sending.
        case answer(Answer)
        /// Publisher to a writer.
        case receipt([UInt8])
    }

    var link: Int
    /// The connection that it belongs to; messages of an older connection are lost.
    var connection: Int
    var run: Int
    var cargo: Cargo
}
