import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// Closes an unused connection with TLS. The layers above begin to watch it once they know the
/// protocol, and send a ping; a client that does not answer would keep its connection for ever.
///
///     handshake ──HTTP/1.1──▶ the layers above
///         │     ──HTTP/2────▶ idle ◀──the last stream ends── streams
///         │ patience           │   ──the first begins─────▶
///         ▼                    ▼ twice the patience, whatever is received meanwhile
///        cut                  cut
///
/// The layers above ask a client that is idle for the patience to close; this closes a client that
/// does not. Streams have their own watch, ``ConnectionGuard``, which also reports them here; a
/// client that subscribes or waits for its answer has one.
///
/// It is placed right after TLS. Everything runs on the connection's event loop.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let patience: TimeAmount
    private var context: ChannelHandlerContext?
    private var cut: Scheduled<Void>?
    /// Open streams of HTTP/2.
    private var streamCount = 0

    init(patience: Duration) { self.patience = TimeAmount(patience) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        cut(in: patience)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let spoken)? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        cut?.cancel()
        if spoken == Self.http2 { cut(in: patience * 2) }
        context.fireUserInboundEventTriggered(event)
        // For HTTP/1.1 there is nothing left to do here.
        if spoken != Self.http2 {
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    // MARK: Streams

    /// A stream of HTTP/2 begins.
    func opened(_ stream: any Channel) {
        streamCount += 1
        cut?.cancel()
        let bound = NIOLoopBound(self, eventLoop: stream.eventLoop)
        stream.closeFuture.whenComplete { _ in bound.value.streamClosed() }
    }

    private func streamClosed() {
        streamCount -= 1
        if streamCount == 0 { cut(in: patience * 2) }
    }

    // MARK: The end

    private func cut(in time: TimeAmount) {
        guard let context else { return }
        let channel = context.channel
        cut = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func end() {
        cut?.cancel()
        context = nil
    }

    /// As ALPN names it.
    private static let http2 = "h2"
}

/// A connection with TLS as the framework makes it, with a ``ConnectionWatch``.
struct WatchedChannel: ServerChildChannel {
    let inner: HTTP2UpgradeChannel
    let patience: Duration

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        let value = inner.setup(channel: channel, logger: logger)
        do {
            let pipeline = channel.pipeline.syncOperations
            let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
            try pipeline.addHandler(ConnectionWatch(patience: patience), position: .after(tls))
            return value
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await inner.handle(value: value, logger: logger)
    }
}
