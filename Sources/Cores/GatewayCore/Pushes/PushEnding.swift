/// Why a subscription ends by the gateway's doing. The words travel.
package enum PushEnding: String, Hashable, Sendable, CaseIterable {
    /// More waited for the reader than is kept for one.
    case slow
    /// The reader took nothing for long.
    case stalled
    /// The gateway stops, and another or the next one goes on.
    case stopping
    /// The token's time is over, or it is not valid any more.
    case expired

    /// What to do about it.
    package var sentence: String {
        switch self {
        case .slow: "you read too slowly: come back with your last position"
        case .stalled: "you read nothing for long: come back with your last position"
        case .stopping: "the gateway stops: come back with your last position"
        case .expired: "your token is not valid any more: come back with a new one"
        }
    }
}
