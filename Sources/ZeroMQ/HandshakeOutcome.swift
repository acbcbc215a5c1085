/// What came of a handshake.
public enum HandshakeOutcome: Hashable, Sendable {
    /// The peer was let in.
    case admitted
    /// The other side knows now who knocks, and said no.
    case refused
    /// The connection was ended in the middle: the two do not speak of the same keys, or one of
    /// them has none.
    case brokenOff
    /// Nothing was heard in time: nobody is there, or nobody answers.
    case unanswered
}
