package import CacheAccess
package import ZeroMQ

/// The purposes of sockets, as the gatekeeper tells them apart.
package enum AccessDomain: String, Sendable {
    /// A shard: gets, sets and operators' requests.
    case data
    /// The publisher: invalidations, and the messages of nodes.
    case control
    /// The publisher's broadcast, which takes no requests.
    case live

    package var zap: ZAPDomain { ZAPDomain(rawValue: rawValue) }

    /// The kind of socket that clients connect with.
    var askerKind: Socket.Kind {
        switch self {
        case .data, .control: .dealer
        case .live: .sub
        }
    }

    /// Whether the holder of a credential may connect. On a socket that takes requests each request
    /// is checked; the right to listen to everything is checked once, here.
    package func admits(_ entry: AccessEntry) -> Bool {
        switch self {
        case .data, .control: true
        case .live: entry.mayFollowLog
        }
    }
}
