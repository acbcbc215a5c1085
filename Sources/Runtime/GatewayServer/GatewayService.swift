import CacheHTTP
import Telemetry
import HummingbirdCore
import HummingbirdHTTP2
package import Logging
import MartletClient
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Threading

/// A gateway: HTTP on one side, one client of the cluster on the other.
///
///     clients ══ HTTP/1.1, with TLS also HTTP/2 ══▶ event loops, one for each core
///                                                      │ a task for each connection
///                                                      ▼
///                                                  GatewayResponder, rules in CacheHTTP
///                                                      │
///                                                      ▼
///                                                  CacheClient, one thread ══▶ nodes, publisher
///
/// It has no state of the cluster, and no entries except those of `--near-cache`, which are kept
/// for a short time: it may be started, stopped and run beside others at will. The resources of a
/// connection are bounded: its head, body, answer and silence; so are the values of all connections
/// together. Every invalid request is answered; none ends the process.
///
/// The command calls it from any thread: ``start()`` once, then ``stop()`` any number of times.
package final class GatewayService: Sendable {
    private enum Event: Sendable {
        case listening(any Channel)
        case ended((any Error)?)
    }

    let options: GatewayOptions
    private let logger: Logger
    private let client: CacheClient
    private let tokens: TokenAuthenticator?
    private let certificates: CertificateStore?
    let near: SharedNearCache?
    let pushes: SharedPushHub
    let meter: GatewayMeter
    let watch: ClusterWatch
    let room = ReadRoom(
        ValueBudget(
            bytesMax: GatewayLimits.valueBytesHeldMax,
            shortBytesMax: GatewayLimits.shortValueBytesHeldMax))
    private let loops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    private let group = Guarded<ServiceGroup?>(nil)
    private let listens = Guarded(false)
    private let ended = Promise<(any Error)?>()

    /// Reads the list of tokens and makes the client. Nothing listens yet.
    package init(_ options: GatewayOptions, logger: Logger) throws(GatewayStartError) {
        self.options = options
        self.logger = logger
        meter = GatewayMeter(
            slow: options.slow, sample: options.sample, spans: options.spans,
            isSecure: options.certificate != nil)
        pushes = SharedPushHub(subscribersMax: options.connectionsMax)
        near = options.near.map { SharedNearCache($0) }
        guard options.asksForTokens || !options.origins.isAnyone else {
            throw .anyOriginWithoutTokens
        }
        let list = try options.tokensFile.map { (path) throws(GatewayStartError) in
            try TokenStore(path)
        }
        let webKeys = try options.webTokens.map { (options) throws(GatewayStartError) in
            try WebKeyStore(options, logger)
        }
        tokens = TokenAuthenticator(list: list, webKeys: webKeys)
        certificates = try options.certificate.map { (certificate) throws(GatewayStartError) in
            try CertificateStore(certificate)
        }
        do throws(CacheError) {
            var configuration = options.client
            configuration.tracer = options.spans
            client = try CacheClient(configuration)
        } catch {
            throw .client(error)
        }
        watch = ClusterWatch(client, within: Self.lookTime(options))
    }

    /// Time limit for each process of the cluster to report its status.
    private static func lookTime(_ options: GatewayOptions) -> Duration {
        min(options.client.timeout, GatewayLimits.lookTimeMax)
    }

    /// Whether it has begun to listen.
    var isListening: Bool { listens.withLock { $0 } }

    /// Listens, once every node was reached or a time limit has passed. From then on this process
    /// keeps little of the memory that it frees: ``Threading/FreedMemory``. It raises the process's
    /// descriptor limit to its maximum.
    ///
    /// - Returns: the URL.
    /// - Throws: ``GatewayStartError``, or `CancellationError` if the task was cancelled before it
    ///   listened; ``stop()`` cleans up.
    package func start() async throws -> String {
        Descriptors.raiseLimit()
        FreedMemory.keep(
            upTo: GatewayLimits.keptMemoryBytes, allocationMax: GatewayLimits.reusedAllocationMax)
        await meet()
        guard !Task.isCancelled else {
            await client.close()
            throw CancellationError()
        }
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let responder = responder
        let server = try server(responder).buildServer(
            configuration: ServerConfiguration(
                address: .hostname(options.host, port: options.port),
                availableConnectionsDelegate: CountedConnections(
                    besideReserve: options.connectionsMax, meter, logger: logger)),
            eventLoopGroup: loops, logger: quiet
        ) { [responder, streams = responder.forStreams] request, writer, channel in
            try await (channel.isStream ? streams : responder).respond(
                to: request, writer, on: channel)
        } onServerRunning: { [logger, meter] channel in
            await Self.pauseWithoutDescriptors(channel, logger, meter)
            continuation.yield(.listening(channel))
        }
        var configuration = ServiceGroupConfiguration(
            services: [server] + watches,
            logger: quiet)
        configuration.maximumGracefulShutdownDuration = GatewayLimits.stopPatience
        let group = ServiceGroup(configuration: configuration)
        self.group.withLock { $0 = group }
        Task { [ended, client] in
            var failure: (any Error)?
            do {
                try await group.run()
            } catch {
                failure = error
            }
            await client.close()
            ended.fulfil(failure)
            continuation.yield(.ended(failure))
        }
        for await event in events {
            switch event {
            case .listening(let channel):
                listens.withLock { $0 = true }
                return place(channel)
            case .ended(let error): throw listening(error)
            }
        }
        // A caller that stops it waits until it is gone.
        try Task.checkCancellation()
        throw listening(nil)
    }

    /// Ends it: no new client is accepted, requests under way have a limited time. Returns once
    /// everything is released. May be called repeatedly.
    package func stop() {
        guard let group = group.withLock({ $0 }) else { return }
        Task { await group.triggerGracefulShutdown() }
        _ = ended.wait()
    }

    /// Blocks until it has ended.
    ///
    /// - Returns: the error, if it ended without a request.
    package func waitUntilStopped() -> (any Error)? { ended.wait() }

    /// Checks that every event loop is running, and calls back once all have answered.
    package func takePulse(_ done: @escaping @Sendable () -> Void) {
        var beats: [EventLoopFuture<Void>] = []
        for loop in loops.makeIterator() { beats.append(loop.submit {}) }
        EventLoopFuture.andAllComplete(beats, on: loops.next()).whenComplete { _ in done() }
    }
}

// MARK: Parts

extension GatewayService {
    /// The last of them is asked to stop first: subscribers are disconnected while there is a
    /// server.
    private var watches: [any Service] {
        var watches: [any Service] = []
        if let tokens { watches.append(FileWatch(logger: logger) { await tokens.follow($0) }) }
        if let certificates {
            watches.append(FileWatch(logger: logger) { await certificates.follow($0) })
        }
        if options.isWatched { watches.append(watch) }
        watches.append(
            PushService(
                sharedHub: pushes, client: client, tokens: tokens, near: near, logger: logger))
        return watches
    }

    private var responder: GatewayResponder {
        GatewayResponder(
            admission: GatewayAdmission(
                origins: options.origins, tokens: tokens, isLoopback: options.isLoopback),
            executor: OrderExecutor(
                client: client, room: room, isPrivate: tokens != nil, near: near,
                lookTime: Self.lookTime(options), meter: meter),
            stream: StreamDoor(sharedHub: pushes, tokens: tokens, origins: options.origins),
            meter: meter, patience: options.patience, bodyBytesMax: options.bodyBytesMax)
    }

    /// Only warnings and errors of the framework are logged.
    private var quiet: Logger {
        var quiet = logger
        quiet.logLevel = max(.warning, logger.logLevel)
        return quiet
    }

    private func server(_ responder: GatewayResponder) -> HTTPServerBuilder {
        let (patience, meter, near) = (options.patience, meter, near)
        let stream = HTTP1Channel.Configuration(
            additionalChannelHandlers: near == nil
                ? [ConnectionGuard(patience: patience, meter)]
                : [ConnectionGuard(patience: patience, meter), NearDoor(responder)],
            idleTimeout: TimeAmount(patience),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: GatewayLimits.fieldBytesMax,
                maxHeaderListSize: GatewayLimits.headBytesMax,
                maxHeaderFieldCount: GatewayLimits.fieldsMax))
        guard let tls = certificates?.configuration else {
            return .http1(configuration: stream)
        }
        return HTTPServerBuilder { responder in
            WatchedChannel(
                inner: try HTTP2UpgradeChannel(
                    tlsConfiguration: tls,
                    configuration: .init(idleTimeout: patience, streamConfiguration: stream),
                    responder: responder),
                patience: patience)
        }
    }

    /// Pauses accepting while no descriptor is left. The handler is first on the channel, because
    /// the handlers that are there already do not pass errors on.
    private static func pauseWithoutDescriptors(
        _ channel: any Channel, _ logger: Logger, _ meter: GatewayMeter
    ) async {
        do {
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(
                    AcceptPause(logger: logger) { meter.connectionRefused() }, position: .first)
            }.get()
        } catch {
            logger.warning("a gateway without descriptors would not pause: \(error)")
        }
    }

    private func place(_ channel: any Channel) -> String {
        let port = channel.localAddress?.port ?? options.port
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        return "\(options.certificate == nil ? "http" : "https")://\(host):\(port)"
    }

    private func listening(_ error: (any Error)?) -> GatewayStartError {
        let isInUse = (error as? IOError)?.errnoCode == EADDRINUSE
        return .listening(
            place: "\(options.host):\(options.port)",
            reason: error.map { "\($0)" } ?? "it ended at once", isInUse: isInUse)
    }
}

/// Watches files for as long as the gateway runs.
private struct FileWatch: Service {
    var logger: Logger
    var follow: @Sendable (Logger) async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await follow(logger) }
    }
}
