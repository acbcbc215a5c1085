/// How many received messages may wait for the socket's owner, per peer, before the peer has to
/// wait.
public enum ReceiveHighWaterMark: Hashable, Sendable {
    /// At most this many, 1 to ``ZeroMQLimits/highWaterMarkMax``.
    case messages(Int)
    /// Any number. Only for SUB and DEALER sockets, if the owner drains them at once into a bound
    /// of its own; elsewhere a peer could fill the memory.
    case unlimited
}
