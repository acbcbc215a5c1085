import CZeroMQ

extension Socket {
    /// The pattern a socket follows.
    public enum Kind: CaseIterable, Hashable, Sendable {
        /// Talks to many peers; the first frame of a message names the peer.
        case router
        /// Talks to one ROUTER, or to several in turn.
        case dealer
        /// Sends to its subscribers.
        case pub
        /// Sends to its subscribers, and receives the subscriptions as messages.
        case xpub
        /// Receives what it subscribed to.
        case sub
        /// Talks to exactly one peer.
        case pair
        /// Sends each message to one of its peers in turn.
        case push
        /// Receives from all its peers.
        case pull
        /// Answers one request after the other.
        case rep

        var code: CInt {
            switch self {
            case .router: ZMQ_ROUTER
            case .dealer: ZMQ_DEALER
            case .pub: ZMQ_PUB
            case .xpub: ZMQ_XPUB
            case .sub: ZMQ_SUB
            case .pair: ZMQ_PAIR
            case .push: ZMQ_PUSH
            case .pull: ZMQ_PULL
            case .rep: ZMQ_REP
            }
        }

        /// Whether the queue of received messages may be without end. A connecting socket with
        /// stalled input can abort the process when the connection is made anew. So these two drain
        /// into memory, and their owners bound the outstanding messages.
        var mayReceiveUnlimited: Bool { self == .sub || self == .dealer }
    }
}
