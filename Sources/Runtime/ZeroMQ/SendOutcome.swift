/// The outcome of sending a frame without waiting.
public enum SendOutcome: Hashable, Sendable {
    /// libzmq took the frame and will try to deliver it. No proof that it arrives.
    case sent
    /// The queue to the peer, or to every peer, is full. The frame was not taken.
    ///
    /// A peer of a ROUTER that left while its queue was full is told apart only once the owner has
    /// received again: libzmq buries a connection when its last message is read.
    case wouldBlock
    /// ROUTER only: no peer has this name, or it is gone. The frame was not taken.
    case unreachable
}
