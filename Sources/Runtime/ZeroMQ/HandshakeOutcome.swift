/// The outcome of a handshake.
public enum HandshakeOutcome: Hashable, Sendable {
    /// The peer was admitted.
    case admitted
    /// The other side has checked the peer's key, and refused it.
    case refused
    /// The connection was ended in the middle: the two sides do not use the same keys, or one of
    /// them has none.
    case brokenOff
    /// No answer came in time: no socket is bound there, or its process does not answer.
    case unanswered
}
