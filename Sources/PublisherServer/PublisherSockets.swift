import AccessControl
import CacheWire
import ZeroMQ

/// The publisher's two sockets, as they are opened and bound.
enum PublisherSockets {
    static func control(_ context: Context) throws(PublisherStartError) -> Socket {
        try opened(context, openControl)
    }

    static func live(_ context: Context) throws(PublisherStartError) -> Socket {
        try opened(context, openLive)
    }

    private static func opened(
        _ context: Context, _ open: (Context) throws(ZeroMQError) -> Socket
    ) throws(PublisherStartError) -> Socket {
        do throws(ZeroMQError) {
            return try open(context)
        } catch {
            throw .other(error)
        }
    }

    private static func openControl(_ context: Context) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .router)
        try socket.set(.maxMessageBytes, to: PublisherServerLimits.controlFrameBytesMax)
        try socket.set(.sendHighWaterMark, to: PublisherServerLimits.controlQueueMax)
        try socket.set(
            .receiveHighWaterMark, to: .messages(PublisherServerLimits.controlQueueMax))
        try socket.set(.linger, to: PublisherServerLimits.linger)
        return socket
    }

    static func openLive(_ context: Context) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .xpub)
        try socket.set(.maxMessageBytes, to: PublisherServerLimits.subscriptionBytesMax)
        try socket.set(.sendHighWaterMark, to: PublisherServerLimits.liveQueueMax)
        try socket.set(
            .receiveHighWaterMark, to: .messages(PublisherServerLimits.subscriptionQueueMax))
        // Every subscriber is told the head at once, not only a topic's first.
        try socket.set(.xpubVerbose, to: true)
        return socket
    }

    static func bind(
        _ socket: borrowing Socket, to endpoint: Endpoint, _ domain: AccessDomain,
        _ keys: CurveKeyPair? = nil
    ) throws(PublisherStartError) -> Endpoint {
        do throws(ZeroMQError) {
            return try socket.bind(endpoint, domain: domain.zap, keys: keys)
        } catch {
            throw PublisherStartError(binding: endpoint, error)
        }
    }
}
