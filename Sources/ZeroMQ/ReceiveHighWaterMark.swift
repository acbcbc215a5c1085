/// How many received messages wait for their owner, per peer, before the peer is held back.
public enum ReceiveHighWaterMark: Hashable, Sendable {
    /// At most this many, 1 to ``ZeroMQLimits/highWaterMarkMax``.
    case messages(Int)
    /// As many as come. Only for SUB and DEALER sockets, whose owners must drain them at once
    /// into a bound of their own; elsewhere a peer could fill the memory.
    case unlimited
}
