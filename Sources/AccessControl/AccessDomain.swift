package import CacheAccess
package import ZeroMQ

/// What sockets are for, as the gatekeeper tells them apart.
package enum AccessDomain: String, Sendable {
    /// A shard: gets, sets and questions of operators.
    case data
    /// The publisher: invalidations, and what nodes have to say.
    case control
    /// The publisher's broadcast, on which nothing is asked.
    case live

    package var zap: ZAPDomain { ZAPDomain(rawValue: rawValue) }

    /// With what kind of socket others come.
    var askerKind: Socket.Kind {
        switch self {
        case .data, .control: .dealer
        case .live: .sub
        }
    }

    /// Whether the holder of a key may connect. Where requests are made each of them is looked at;
    /// who may listen to everything is decided once.
    package func admits(_ entry: AccessEntry) -> Bool {
        switch self {
        case .data, .control: true
        case .live: entry.mayFollowLog
        }
    }
}
