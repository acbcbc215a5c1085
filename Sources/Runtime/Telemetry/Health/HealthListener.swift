import CacheHTTP
package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Threading

/// A small HTTP server for monitoring systems and orchestrators, on a thread of its own: what it
/// answers is a ``HealthResponder``'s.
///
///     Prometheus ──GET /metrics──▶ ┌────────────────┐ ──letters──▶ shards, control, origin
///     kubelet ────GET /readyz────▶ │ HealthListener │                    or publisher
///                                  │ one event loop │ ◀──reports── the last that answers
///                                  └────────────────┘
///
/// Started by the door beside a role, which does not know of it. It never touches what the role's
/// threads own. What strangers send is bounded in size, number and time, by ``HealthLimits``; the
/// worst they can do is take its connections from each other.
package final class HealthListener: Sendable {
    /// Where it listens in truth.
    package let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let responder: HealthResponder

    /// Binds, and begins to answer. Blocks until then, a moment.
    ///
    /// - Parameters:
    ///   - host: an address, without brackets.
    ///   - port: 0 lets the system choose.
    /// - Throws: ``HealthStartError``; nothing is left then.
    package static func start(
        host: String, port: Int, token: MetricsToken?, _ source: HealthSource, logger: Logger
    ) throws(HealthStartError) -> HealthListener {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let responder = HealthResponder(
            source, token: token, isLoopback: Self.isLoopback(host), on: group.next())
        do {
            let channel = try bootstrap(group, responder, logger).bind(host: host, port: port)
                .wait()
            let bound = channel.localAddress?.port ?? port
            logger.info("metrics and health are answered on http://\(host):\(bound)")
            return HealthListener(port: bound, group: group, responder: responder)
        } catch {
            end(group)
            throw .cannotBind(host: host, port: port, reason: "\(error)")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        // Without brackets, which an address of a URL has.
        PageGuard.isLoopback(host.contains(":") ? "[\(host)]" : host)
    }

    private init(port: Int, group: MultiThreadedEventLoopGroup, responder: HealthResponder) {
        self.port = port
        self.group = group
        self.responder = responder
    }

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup, _ responder: HealthResponder, _ logger: Logger
    ) -> ServerBootstrap {
        let table = ConnectionTable()
        return ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.backlog, value: 64)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger))
                }
            }
            .childChannelInitializer { channel in
                guard table.admit(channel) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    var limits = NIOHTTPDecoderLimitConfiguration()
                    limits.maxHeaderFieldSize = HealthLimits.fieldBytesMax
                    limits.maxHeaderListSize = HealthLimits.headBytesMax
                    limits.maxHeaderFieldCount = HealthLimits.fieldsMax
                    try pipeline.configureHTTPServerPipeline(
                        withPipeliningAssistance: true, withErrorHandling: true,
                        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
                    try pipeline.addHandler(ConnectionHandler(responder, table))
                }
            }
    }

    /// Ends all connections and the thread. Returns when nothing is left.
    package func stop() {
        responder.end()
        Self.end(group)
    }

    private static func end(_ group: MultiThreadedEventLoopGroup) {
        let isDone = Promise<Void>()
        group.shutdownGracefully { _ in isDone.fulfil(()) }
        isDone.wait()
    }
}
