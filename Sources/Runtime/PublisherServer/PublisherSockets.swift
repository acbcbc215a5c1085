import AccessControl
import ZeroMQ

/// The publisher's two sockets, as they are opened and bound.
enum PublisherSockets {
    private typealias Opening = (Context, DescriptorGuard?) throws(ZeroMQError) -> Socket

    static func control(
        _ context: Context, _ connections: DescriptorGuard?
    ) throws(PublisherStartError) -> Socket {
        try opened(context, connections, openControl)
    }

    static func live(
        _ context: Context, _ connections: DescriptorGuard?
    ) throws(PublisherStartError) -> Socket {
        try opened(context, connections, openLive)
    }

    private static func opened(
        _ context: Context, _ connections: DescriptorGuard?, _ open: Opening
    ) throws(PublisherStartError) -> Socket {
        do throws(ZeroMQError) {
            return try open(context, connections)
        } catch {
            throw .other(error)
        }
    }

    private static func openControl(
        _ context: Context, _ connections: DescriptorGuard?
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .router)
        try socket.set(.maxMessageBytes, to: PublisherServerLimits.controlFrameBytesMax)
        try socket.set(.sendHighWaterMark, to: PublisherServerLimits.controlQueueMax)
        try socket.set(
            .receiveHighWaterMark, to: .messages(PublisherServerLimits.controlQueueMax))
        try socket.set(.linger, to: PublisherServerLimits.linger)
        try connections?.watch(socket)
        return socket
    }

    static func openLive(
        _ context: Context, _ connections: DescriptorGuard?
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .xpub)
        try socket.set(.maxMessageBytes, to: PublisherServerLimits.subscriptionBytesMax)
        try socket.set(.sendHighWaterMark, to: PublisherServerLimits.liveQueueMax)
        try socket.set(
            .receiveHighWaterMark, to: .messages(PublisherServerLimits.subscriptionQueueMax))
        // Every subscriber is sent the head at once, not only the first one of a topic.
        try socket.set(.xpubVerbose, to: true)
        try connections?.watch(socket)
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
