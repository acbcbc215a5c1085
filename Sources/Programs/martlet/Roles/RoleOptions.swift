import AccessControl
public import ArgumentParser
import ByteCoding
import CacheConfiguration
import CommandSurface
import EssentialFoundation
public import Logging
import ZeroMQ

/// What every role that listens has in common.
struct RoleOptions: ParsableArguments {
    @Option(
        help: .value(
            "file", "The cluster's configuration (YAML). Flags and MARTLET_… variables override it."
        ))
    var config: String?

    @Option(
        help: .value(
            "file",
            "The file of this process's key, made by martlet keygen: the keys of peers must be in "
                + "the list. (default: $MARTLET_KEY)"))
    var key: String?

    @Option(
        help: .value(
            "file",
            "A list of keys and what each may do; read again when it changes. With --key. "
                + "(default: $MARTLET_ALLOW_LIST)"))
    var allowList: String?

    @Option(
        help: .value(
            "file",
            "Another key, served at --second-endpoint, while peers that know it move to the first "
                + "key."))
    var secondKey: String?

    @Option(
        help: .value(
            "endpoint[,...]",
            "Where to listen with --second-key: as many as without it, or the first of ports that "
                + "follow each other."))
    var secondEndpoint: String?

    @OptionGroup var audit: AuditOptions

    @OptionGroup var health: HealthOptions

    @OptionGroup var format: LogOptions

    @Flag(
        help: """
            Without --key: allow an address beyond this machine, although peers are not \
            authenticated. Every client that reaches the port can read and change everything.
            """)
    var insecureBind = false

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    /// Set by `up`: ends the role when its standard input is closed, which happens when the
    /// parent dies, however it dies.
    @Flag(help: .hidden)
    var endWithInput = false

    /// What ``config`` or `MARTLET_CONFIG` names, if either is given.
    var configurationPath: String? {
        config ?? ProcessEnvironment.variables["MARTLET_CONFIG"]
    }

    func configuration() throws -> ClusterConfiguration? {
        try configurationPath.map { try ConfigurationFile.read($0) }
    }

    /// A logger of that name, writing lines to standard error.
    func logger(_ name: String) throws -> Logger {
        var logger = try format.logger(name)
        logger.logLevel = logLevel
        EnvironmentVariables.warn(logger)
        return logger
    }

    static let listVariable = "MARTLET_ALLOW_LIST"
    /// A gateway's.
    static let tokensVariable = "MARTLET_TOKENS"
    /// What `up` says to its children by flags alone.
    static let accessVariables = [
        ClusterOptions.keyVariable, listVariable, AuditOptions.variable,
        tokensVariable,
        HealthOptions.variable, HealthOptions.tokenVariable,
    ]

    /// This process's keys and the list of keys it lets in; `nil`: it asks no client for a key.
    ///
    /// - Parameter listenerCount: in how many places it listens.
    func access(listenerCount: Int) throws -> AccessSettings? {
        let environment = ProcessEnvironment.variables
        let keyFile = key ?? environment.text(of: ClusterOptions.keyVariable)
        let list = allowList ?? environment.text(of: Self.listVariable)
        guard let keyFile, let list else {
            guard keyFile == nil, list == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    keyFile == nil
                        ? "--allow-list is for a process with a key: give --key too, and make one "
                            + "with martlet keygen"
                        : "--key needs a list of keys to admit: give --allow-list too")
            }
            guard secondKey == nil, secondEndpoint == nil else {
                throw CommandFailure(
                    .wrongUsage, "a second key is for a process with a first one: give --key too")
            }
            return nil
        }
        var access = AccessSettings(keys: try Self.pair(keyFile), listFile: list)
        access.second = try second(beside: access.keys, listenerCount: listenerCount)
        return access
    }

    static func pair(_ file: String) throws(CommandFailure) -> CurveKeyPair {
        try CommandFailure.wrapping { try KeyFile.read(file) }
    }

    /// Refuses an endpoint that names another key than this process has there: clients would wait
    /// for a process that does not exist.
    func checkKey(of endpoint: Endpoint, _ keys: CurveKeyPair?) throws {
        guard let named = endpoint.serverKey, named != keys?.publicKey else { return }
        let own = keys.map { "this process has the key \($0.publicKey.fingerprint)…" }
        throw CommandFailure(
            .unusableConfiguration,
            "\(endpoint) names a key, and \(own ?? "this process has none: give --key FILE")")
    }

    /// Refuses an endpoint that others than this machine could reach, unless that was allowed.
    func checkExposure(
        of endpoint: Endpoint, _ access: AccessSettings?, logger: Logger
    ) throws {
        try checkKey(of: endpoint, access?.keys)
        guard !endpoint.isLoopback, access == nil else { return }
        guard insecureBind else {
            throw CommandFailure(
                .unusableConfiguration,
                "\(endpoint) can be reached from other machines, and peers are not authenticated: "
                    + "give --key and --allow-list, bind 127.0.0.1, or give --insecure-bind if the "
                    + "network keeps strangers out")
        }
        logger.warning(
            """
            listening on \(endpoint) without keys: every client that reaches it can read and \
            change everything
            """)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// A role's second key, and where it listens with it.
extension RoleOptions {
    /// What ``secondKey`` and ``secondEndpoint`` say; `nil`: neither is given.
    ///
    /// - Parameters:
    ///   - first: the key that the process has already.
    ///   - listenerCount: in how many places it listens.
    func second(
        beside first: CurveKeyPair, listenerCount: Int
    ) throws -> SecondKey? {
        guard let secondKey, let secondEndpoint else {
            guard secondKey == nil, secondEndpoint == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "--second-key and --second-endpoint go together: which key, and where is one "
                        + "spoken to by it?")
            }
            return nil
        }
        let keys = try Self.pair(secondKey)
        guard keys.publicKey != first.publicKey else {
            throw CommandFailure(
                .unusableConfiguration,
                "--second-key \(secondKey) is the key that --key names, too: make another with "
                    + "martlet keygen")
        }
        let endpoints = try Self.endpoints(secondEndpoint, count: listenerCount)
        for endpoint in endpoints { try checkKey(of: endpoint, keys) }
        return SecondKey(keys: keys, endpoints: endpoints)
    }

    /// Reads one endpoint for each place, or the first of ports that follow each other.
    static func endpoints(_ text: String, count: Int) throws -> [Endpoint] {
        let endpoints = try text.split(separator: ",", omittingEmptySubsequences: false).map {
            try NodePlan.endpoint(String($0), for: .binding)
        }
        if endpoints.count == count { return endpoints }
        guard endpoints.count == 1, let port = endpoints[0].port else {
            throw CommandFailure(
                .wrongUsage,
                "--second-endpoint names \(endpoints.count) places where \(count) are wanted: say "
                    + "all of them, with commas, or the first of ports that follow each other")
        }
        return try (0..<count).map { index in
            guard let later = UInt16(exactly: port == 0 ? 0 : Int(port) + index),
                let endpoint = endpoints[0].withPort(later)
            else {
                throw CommandFailure(
                    .wrongUsage,
                    "--second-endpoint \(text): there are no \(count) ports from there on; begin "
                        + "lower")
            }
            return endpoint
        }
    }
}
