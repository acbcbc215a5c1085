/// What became of an attempt to connect, before anything is said.
public enum ConnectOutcome: Hashable, Sendable {
    /// The system at the other side took the connection.
    case connected
    /// Nothing listens there.
    case refused
    /// The name has no address. Why, in the system's words.
    case unknownHost(String)
    /// The attempt was answered by nothing in time.
    case silent
    /// It cannot be made at all. Why, in the system's words.
    case impossible(String)

    /// Whether a later attempt will say the same, unless something is changed.
    public var isFinal: Bool {
        switch self {
        case .refused, .unknownHost, .impossible: true
        case .connected, .silent: false
        }
    }
}
