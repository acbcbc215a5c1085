/// A message on its way.
struct Parcel {
    enum Cargo {
        /// Publisher to node, live channel.
        case live([UInt8])
        /// Publisher to node, control channel.
        case control([UInt8])
        /// Node or writer to publisher; the peer is what the ROUTER calls the sender.
        case toPublisher(peer: UInt32, [UInt8])
        /// A node's subscription to one topic.
        case subscription(run: Int)
        /// Client to shard.
        case request(ShardPlace, [UInt8])
        /// Shard to client: decoded where it was sent.
        case answer(Answer)
        /// Publisher to a writer.
        case receipt([UInt8])
    }

    var link: Int
    /// Which connection over the link it belongs to; what is under way on an older one is lost.
    var connection: Int
    var run: Int
    var cargo: Cargo
}
