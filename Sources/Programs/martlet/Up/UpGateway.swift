import CacheConfiguration
import CacheModel
import CommandSurface
import ZeroMQ
import LibC

/// The gateway that `up --gateway` starts: where it listens, and whether it does yet.
struct UpGateway: Sendable {
    /// Of the child, of its log, and of its key.
    static let name = "gateway"
    private static let host = "127.0.0.1"
    /// Nodes have the ports before it.
    private static let portsAfterPublisher = 63

    let port: UInt16
    /// Where it answers monitoring systems; `nil`: nowhere.
    private(set) var http: HTTPPlace?
    /// What it is told of its near cache.
    private var near: [String] = []
    private let scheme: String

    init(for configuration: ClusterConfiguration, _ command: UpCommand) throws {
        try self.init(for: configuration)
        http =
            command.config == nil
            ? Self.metrics(beside: configuration) : configuration.gateway?.http
        guard try GatewayPlan.near(command.nearCache, age: command.nearCacheAge) != nil else {
            return
        }
        near = ["--near-cache", command.nearCache ?? ""]
        if let age = command.nearCacheAge { near += ["--near-cache-age", age] }
    }

    /// The port before those where the others answer monitoring systems, unless a shard has it or
    /// they have none themselves.
    private static func metrics(beside configuration: ClusterConfiguration) -> HTTPPlace? {
        let nodes = configuration.nodes
        let taken = nodes.flatMap { node -> [UInt16] in
            guard let first = node.port else { return [] }
            return (0..<node.shards).map { first + UInt16($0) }
        }
        let others =
            [configuration.publisher.http] + configuration.publishers.map(\.http)
            + nodes.map(\.http)
        guard let first = others.compactMap({ $0?.port }).min(), first > 1,
            !taken.contains(first - 1)
        else { return nil }
        return .loopback(port: first - 1)
    }

    init(for configuration: ClusterConfiguration) throws(CommandFailure) {
        guard !configuration.nodes.contains(where: { $0.id.name == Self.name }) else {
            throw CommandFailure(
                .wrongUsage, "--gateway: a node is called \(Self.name) already; rename it")
        }
        scheme = configuration.gateway?.tlsCertificate == nil ? "http" : "https"
        if let bind = configuration.gateway?.bind {
            guard bind.host == Self.host, bind.port > 0 else {
                throw CommandFailure(
                    .unusableConfiguration,
                    "gateway.bind is \(bind), and all that up starts is at \(Self.host), with a "
                        + "port: run martlet gateway --config beside the cluster")
            }
            port = bind.port
            return
        }
        let place: EndpointText?
        do throws(TextProblem) {
            place = try EndpointText.parse(configuration.publisherAddresses[0].control)
                .following(Self.portsAfterPublisher)
        } catch {
            place = nil
        }
        guard case .tcp(_, let port)? = place?.place else {
            throw CommandFailure(
                .wrongUsage,
                "--gateway listens \(Self.portsAfterPublisher) ports after the publisher, and "
                    + "there is none: run martlet gateway --bind beside the cluster")
        }
        self.port = port
    }

    private var bind: String { "\(Self.host):\(port)" }
    /// What it is started with, beside its cluster. Said by flags: a variable would go before the
    /// file.
    var arguments: [String] {
        ["--bind", bind] + (http.map { ["--http", "\($0)"] } ?? []) + near
    }
    var url: String { "\(scheme)://\(bind)" }
    /// The same places, as the check of free ports wants them.
    var endpoints: [String] {
        ["tcp://\(bind)"] + (http.flatMap { $0.port > 0 ? ["tcp://\($0)"] : nil } ?? [])
    }

    var isListening: Bool {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(AF_INET, kind, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(Self.host)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// Looks whether a cluster's ports are free before anything is started.
///
/// Without it a second `up` on the ports of a first one would find a live cluster there, and take
/// it for its own.
enum PortCheck {
    /// - Parameter others: endpoints that the configuration does not name.
    /// - Throws: ``CommandFailure`` that names the first endpoint another process listens on.
    static func ensureFree(
        _ configuration: ClusterConfiguration, beside others: [String] = []
    ) throws {
        let publishers = configuration.publisherAddresses
        let places = configuration.publisherPlaces + configuration.nodes.map(\.http)
        let endpoints =
            publishers.flatMap { [$0.control, $0.live] }.compactMap(\.self)
            + configuration.nodes.flatMap { $0.shardEndpoints ?? [] } + others
            + places.compactMap(\.self).filter { $0.port > 0 }.map { "tcp://\($0)" }
        let context = try Context()
        for text in endpoints where text.hasPrefix("tcp:") {
            do {
                _ = try Socket(context, .pair).bind(Endpoint(text))
            } catch let error as ZeroMQError where error.isAddressInUse {
                throw CommandFailure(
                    .unusableConfiguration,
                    "\(text) is in use: choose another --port, or stop what listens there")
            } catch {
                throw CommandFailure(.unusableConfiguration, "\(text) cannot be bound: \(error)")
            }
        }
    }
}

extension ClusterConfiguration {
    /// Where each publisher answers monitoring systems, in the order of ``publisherAddresses``.
    var publisherPlaces: [HTTPPlace?] {
        publishers.isEmpty ? [publisher.http] : publishers.map(\.http)
    }
}
