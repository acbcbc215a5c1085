import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import EssentialFoundation
import ZeroMQ

/// `martlet doctor`: looks at an installation, and says what is wrong with it and what to do.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check an installation: library, keys, list, limits, ports, a running cluster.",
        discussion: """
            A line for each finding: ok, a hint, a warning, or wrong, with what to do. Looks and \
            changes nothing. Ends with 78 if something is wrong; warnings are no fault. Run it as \
            the user who runs the roles.

              martlet doctor
              martlet doctor --config cluster.yaml --key n1.key --allow-list allow-list
              martlet doctor --cluster tcp://10.0.0.7:7400?key=… --key admin.key
            """)

    @Option(help: .value("file", "The cluster's configuration. (default: $MARTLET_CONFIG)"))
    var config: String?

    @Option(
        help: .value("file", "A key: a role's, or with --cluster yours. (default: $MARTLET_KEY)"))
    var key: String?

    @Option(help: .value("file", "The list of keys. (default: $MARTLET_ALLOW_LIST)"))
    var allowList: String?

    @Option(
        help: .value(
            "directory",
            "A directory of martlet up --dir; its configuration and list are looked at, too."))
    var dir: String?

    @Option(
        help: .value(
            "endpoint[,...]",
            "Look at a running cluster, too: its endpoints, and the nodes that they know."))
    var cluster: String?

    @Flag(help: "Write JSON: one object.")
    var json = false

    func run() async throws {
        let environment = ProcessEnvironment.variables
        let installation = Installation(try places(environment))
        var findings: [DoctorFinding] = []
        for check in Self.checks(installation) { findings += await check.findings() }
        let output = DoctorReport(findings: findings).output(
            .chosen(isJSON: json), hasSymbols: Self.hasSymbols(environment))
        try output.finish()
    }

    /// The table of checks, in the order in which they are shown.
    static func checks(_ installation: Installation) -> [any DoctorCheck] {
        let configuration = installation.configuration?.value
        let optional: [(any DoctorCheck)?] = [
            LibraryCheck(),
            BuildCheck(configuration: configuration),
            installation.keys.map { KeyCheck(path: $0.path, content: $0.content) },
            installation.list.map {
                ListCheck(source: $0, nodes: configuration?.nodes.map(\.id.name))
            },
            installation.configuration.map {
                SettingsCheck(
                    source: $0, key: installation.pair?.publicKey,
                    list: installation.list?.value)
            },
            DirectoryCheck(configuration, directory: installation.places.directory),
            configuration.map { PlaceCheck($0) },
            DescriptorCheck(),
            MemoryCheck(configuration),
            ClockCheck(),
            RingCheck(),
            installation.places.cluster.isEmpty
                ? nil
                : ClusterCheck(
                    endpoints: installation.places.cluster, keys: installation.pair),
        ]
        return optional.compactMap(\.self)
    }

    private func places(_ environment: [String: String]) throws -> Installation.Places {
        var places = Installation.Places()
        places.configuration = config ?? environment.text(of: "MARTLET_CONFIG")
        places.key = key ?? environment.text(of: ClusterOptions.keyVariable)
        places.allowList = allowList ?? environment.text(of: RoleOptions.listVariable)
        places.directory = dir
        for part in (cluster ?? "").split(separator: ",") {
            places.cluster.append(
                try GivenText(text: String(part), source: "--cluster")
                    .parsed { try EndpointText.typed($0).description })
        }
        return places
    }

    /// Whether standard output is a terminal with a locale that has more than letters.
    private static func hasSymbols(_ environment: [String: String]) -> Bool {
        Console.isOutputTerminal && hasSymbols(locale: environment)
    }

    /// The first of these that has a value says it, as everywhere.
    static func hasSymbols(locale environment: [String: String]) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
            .first { !$0.isEmpty }
        let text = (locale ?? "").uppercased()
        return text.contains("UTF-8") || text.contains("UTF8")
    }
}
