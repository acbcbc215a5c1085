/// What a ``ZAPHandler`` answers.
public enum ZAPVerdict: Hashable, Sendable {
    /// Let in. The number is attached to every message of the connection:
    /// ``FrameRing/userNumber(at:)``.
    case admitted(UInt32)
    /// Turned away, for good: libzmq tells the peer so.
    case refused

    var statusCode: String { if case .admitted = self { "200" } else { "400" } }

    var userID: String { if case .admitted(let number) = self { "\(number)" } else { "" } }
}
