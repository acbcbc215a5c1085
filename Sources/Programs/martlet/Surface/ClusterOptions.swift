import AccessControl
import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import EssentialFoundation
import LibC
import MartletClient
import Threading

/// The cluster a command speaks to, how long it waits, and the reader it writes for.
struct ClusterOptions: ParsableArguments {
    static let endpointDefault = "tcp://127.0.0.1:7400"
    static let timeoutDefault: Duration = .seconds(5)
    static let variable = "MARTLET_CLUSTER"
    static let keyVariable = "MARTLET_KEY"
    /// What an answer may need on its way beyond the timeout: the publisher waits for nodes until
    /// then, and its receipt says which of them have not applied it.
    static let grace: Duration = .milliseconds(500)
    private static let closingMax: Duration = .milliseconds(250)
    private static let closingStep: Duration = .milliseconds(2)

    @Option(
        help: .value(
            "endpoint[,...]",
            "Publishers or nodes, tried in turn. (default: $MARTLET_CLUSTER, else "
                + "\(ClusterOptions.endpointDefault))"))
    var cluster: String?

    @Option(
        help: .value(
            "file",
            "The file of your key, for a cluster that authenticates clients; its endpoints end "
                + "with ?key=… (default: $MARTLET_KEY)"))
    var key: String?

    @Option(
        help: .value("duration", "How long to wait for answers. (default: 5s)"),
        transform: ArgumentText.timeout)
    var timeout: Duration?

    @Flag(help: "Write JSON: one object, or one a line.")
    var json = false

    @Flag(
        name: [.customShort("q"), .long],
        help: "Leave out confirmations and remarks; keep what was asked for, and errors.")
    var quiet = false

    var patience: Duration { timeout ?? Self.timeoutDefault }
    var style: OutputStyle { .chosen(isJSON: json) }

    func validate() throws {
        _ = try endpoints
    }

    /// Says it, or under `--quiet` what is left of it, and ends the command with its status.
    ///
    /// - Parameter confirms: whether the text only says that the work is done. JSON is always said.
    func finish(_ output: CommandOutput, confirms: Bool = false) throws {
        try (quiet ? output.quieted(confirms: confirms && !json) : output).finish()
    }

    /// As ``endpoints(environment:)``, of this process's environment.
    var endpoints: [String] {
        get throws(ValidationError) {
            try endpoints(environment: ProcessEnvironment.variables)
        }
    }

    /// The endpoints that the flag names, else the variable, else the usual one.
    func endpoints(environment: [String: String]) throws(ValidationError) -> [String] {
        guard let list = cluster ?? environment.text(of: Self.variable) else {
            return [Self.endpointDefault]
        }
        let source = cluster == nil ? Self.variable : "--cluster"
        var endpoints: [String] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            do throws(TextProblem) {
                let text = String(part.trimmed())
                endpoints.append(try EndpointText.typed(text).description)
            } catch {
                throw ValidationError("\(source): \(error.sentence)")
            }
        }
        return endpoints
    }

    /// The user's keys, for a cluster that asks for them; `nil` if no key was named.
    func keys() throws -> ClientKeys? {
        guard let path = key ?? ProcessEnvironment.variables.text(of: Self.keyVariable) else {
            return nil
        }
        return ClientKeys(try RoleOptions.pair(path))
    }

    /// Keeps where the nodes are, for a time when the publisher is down.
    private func remember(_ client: CacheClient, in nodes: RememberedNodes) {
        // What was only kept, and not confirmed, must not vouch for itself the next time.
        guard let topology = client.knownTopology, client.isConfirmed else { return }
        nodes.write(topology.nodes.flatMap(\.endpoints), of: topology.cluster)
    }

    /// Closes a client, and waits a moment for it: the process goes on without a thread that looks
    /// up a name.
    private static func close(_ client: CacheClient) async {
        let isClosed = Guarded(false)
        Task {
            await client.close()
            isClosed.withLock { $0 = true }
        }
        let end = ContinuousClock.now + closingMax
        while !isClosed.withLock({ $0 }), ContinuousClock.now < end {
            guard await Task.slept(for: closingStep) else { return }
        }
    }

    /// The user at the keyboard, as this machine knows it: `ada@box`.
    private static var issuer: Issuer? {
        var name = [CChar](repeating: 0, count: 256)
        let isNamed = gethostname(&name, name.count - 1) == 0
        let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let host = isNamed ? String(decoding: bytes, as: UTF8.self) : ""
        let user = ProcessInfo.processInfo.userName
        return Issuer(shortening: host.isEmpty ? user : "\(user)@\(host)")
    }

    /// The error of `body`, with the reason that ``ReachabilityWatch`` has found.
    private func failure(_ error: any Error, _ door: ReachabilityWatch) async throws
        -> CommandFailure?
    {
        guard !(error is CancellationError) else { return nil }
        if let failure = await door.verdict() { return failure }
        guard let error = error as? CacheError, let remark = await door.remark(on: error) else {
            return nil
        }
        let failure = CommandFailure(error, endpoints: try endpoints)
        return CommandFailure(
            failure.status, "\(failure.sentence); \(EndpointKeys.shortened(remark))")
    }

    /// Lends a client of the cluster to `body` and closes it.
    ///
    /// - Parameters:
    ///   - near: the node to prefer in a replicated topology.
    ///   - use: for how long it is wanted. Within the timeout the cluster has to answer in any case
    ///     but ``ClientUse/waiting``.
    /// - Throws: ``CommandFailure`` for what the client throws, and where the cluster does not
    ///   answer; what else `body` throws.
    func withClient<Result: Sendable>(
        near: NodeID? = nil, for use: ClientUse = .oneAnswer,
        _ body: (CacheClient) async throws -> Result
    ) async throws -> Result {
        let endpoints = try endpoints
        let nodes = RememberedNodes(
            of: endpoints, environment: ProcessEnvironment.variables)
        do {
            let keys = try keys()
            let known = nodes.read()
            if let complaint = nodes.complaint(of: known) { Console.complain(complaint) }
            var configuration = CacheClientConfiguration(endpoints: endpoints)
            // Endpoints with a key are of a cluster that asked for keys, others of one without.
            configuration.keptEndpoints = known.endpoints.filter {
                $0.contains("?key=") == (keys != nil)
            }
            configuration.keptCluster = known.cluster
            configuration.keys = keys
            configuration.timeout = patience
            configuration.near = near
            configuration.issuer = Self.issuer
            if case .oneAnswer = use { configuration.lifetimeMax = patience + Self.grace }
            let client = try CacheClient(configuration)
            let door = ReachabilityWatch(
                endpoints, kept: configuration.keptEndpoints, keys: keys, client: client,
                patience: patience)
            if use != .waiting { door.begin() }
            do {
                let result = try await body(client)
                if let failure = await door.verdict() { throw failure }
                door.stop()
                remember(client, in: nodes)
                await Self.close(client)
                return result
            } catch {
                let failure = try await failure(error, door)
                door.stop()
                await Self.close(client)
                throw failure ?? error
            }
        } catch let error as CacheError {
            throw CommandFailure(error, endpoints: endpoints)
        }
    }
}

/// How long a command talks to its cluster.
enum ClientUse {
    /// All of its calls end with --timeout.
    case oneAnswer
    /// It goes on for as long as it likes once the cluster has answered; each answer has --timeout.
    case manyAnswers
    /// It waits for a cluster that is not there yet, too.
    case waiting
}
