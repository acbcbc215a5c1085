import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL

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
