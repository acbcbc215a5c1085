public import ArgumentParser
import CacheConfiguration
import Foundation
public import Logging
import ZeroMQ

/// What every role that listens has in common.
struct RoleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The cluster's configuration (YAML). Flags and MARTLET_… variables override it.",
            valueName: "file"))
    var config: String?

    @Flag(
        help: """
            Allow an address beyond this machine, though nothing checks who connects: until the \
            release with keys, whoever reaches the port can read and change everything.
            """)
    var insecureBind = false

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    /// Set by `up`: ends the role when its standard input is closed, which happens when the
    /// parent dies, however it dies.
    @Flag(help: .hidden)
    var endWithInput = false

    /// The configuration of ``config`` or `MARTLET_CONFIG`, if either is given.
    func configuration() throws -> ClusterConfiguration? {
        guard let path = config ?? ProcessInfo.processInfo.environment["MARTLET_CONFIG"] else {
            return nil
        }
        return try ConfigurationFile.read(path)
    }

    /// A logger of that name, writing readable lines to standard error.
    func logger(_ name: String) -> Logger {
        var logger = Logger(label: name) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        return logger
    }

    /// Refuses an endpoint that others than this machine could reach, unless that was allowed.
    func checkExposure(of endpoint: Endpoint, logger: Logger) throws {
        guard !endpoint.isLoopback else { return }
        guard insecureBind else {
            throw CommandFailure(
                .unusableConfiguration,
                "\(endpoint) can be reached from other machines, and nothing checks who connects: "
                    + "bind 127.0.0.1, or say --insecure-bind if the network keeps strangers out")
        }
        logger.warning(
            """
            listening on \(endpoint) without keys: whoever reaches it can read and change \
            everything
            """)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
