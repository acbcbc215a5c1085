import ArgumentParser
import CacheConfiguration
import CommandSurface

extension LogSyncMode: ExpressibleByArgument {}

/// A publisher's log on the command line.
struct PublisherLogOptions: ParsableArguments {
    @Option(
        help: .value(
            "directory",
            """
            Keep the log in this directory, so that it continues after a restart; or etcd, so that \
            another publisher can lead with it. (default: $MARTLET_LOG, else the configuration's)
            """))
    var log: String?

    @Option(
        help: """
            When the log on disk is synchronized: always (before a record is sent), \
            interval (a tenth of a second later) or none.
            """)
    var logSync: LogSyncMode?

    @Flag(help: "Begin a new epoch: every node hides what it holds until it is filled again.")
    var newEpoch = false

    @OptionGroup var etcd: EtcdLogOptions

    /// Where the log is kept: flags first, then `MARTLET_…` variables, then the configuration.
    ///
    /// - Parameters:
    ///   - configured: what the configuration says.
    ///   - isOneOfSeveral: whether the configuration lists several publishers.
    ///   - httpClient: what a log on etcd needs of the build.
    func storage(
        _ configured: LogStorage, isOneOfSeveral: Bool = false,
        httpClient: BuildFeature = .httpClient,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(CommandFailure) -> LogStorage {
        let given = GivenText(log, "--log", environment)
        let isOnEtcd: Bool
        if let given {
            isOnEtcd = given.text == LogStorage.etcdWord
            if isOnEtcd { try httpClient.require(for: "\(given.source) \(given.text)") }
        } else if case .etcd = configured {
            isOnEtcd = true
            try httpClient.require(
                for: "publisher.log: \(LogStorage.etcdWord)", .unusableConfiguration)
        } else {
            isOnEtcd = false
        }
        if let given, !isOnEtcd, isOneOfSeveral {
            throw CommandFailure(
                .wrongUsage,
                "\(given.source): the configuration lists several publishers, and they share a log "
                    + "on etcd: leave it out, or say \(LogStorage.etcdWord)")
        }
        try check(isOnEtcd: isOnEtcd)
        guard isOnEtcd else {
            guard let given else { return try checkFiles(configured) }
            return try checkFiles(given.text.isEmpty ? .memory : .directory(given.text))
        }
        var settings = EtcdSettings(endpoints: [])
        if case .etcd(let etcd) = configured { settings = etcd }
        return .etcd(try etcd.settings(settings, environment: environment))
    }

    private func check(isOnEtcd: Bool) throws(CommandFailure) {
        if isOnEtcd, newEpoch || logSync != nil {
            throw CommandFailure(
                .wrongUsage,
                "--new-epoch and --log-sync are for a log on disk: etcd synchronizes every record, "
                    + "and a log on etcd that was restored begins a new epoch by itself")
        }
        guard isOnEtcd || !etcd.isGiven else {
            throw CommandFailure(
                .wrongUsage,
                "--state-directory and what begins with --etcd- are for a log on etcd: say --log "
                    + "\(LogStorage.etcdWord) too")
        }
    }

    private func checkFiles(_ storage: LogStorage) throws(CommandFailure) -> LogStorage {
        guard storage == .memory, newEpoch || logSync != nil else { return storage }
        throw CommandFailure(
            .wrongUsage,
            "--new-epoch and --log-sync are for a log on disk: say --log DIRECTORY too")
    }
}

/// Where etcd is, what is kept there, and how the publisher shows its identity.
struct EtcdLogOptions: ParsableArguments {
    @Option(
        help: .value(
            "url[,...]",
            "With --log etcd: the members of etcd, such as http://10.0.0.1:2379, asked in turn."))
    var etcdEndpoints: String?

    @Option(
        help: .value(
            "prefix",
            "With --log etcd: what every key begins with; each cluster has its own. "
                + "(default: the configuration's, else /martlet/)"))
    var etcdPrefix: String?

    @Option(help: .value("name", "With --log etcd: the user, where etcd authenticates users."))
    var etcdUser: String?

    @Option(
        help: .value(
            "file", "The file of the user's password, with mode 600."))
    var etcdPasswordFile: String?

    @Option(
        help: .value(
            "file",
            "With https: certificates (PEM) of authorities that etcd is trusted by; the system's "
                + "if not given."))
    var etcdCa: String?

    @Option(help: .value("file", "With https: this publisher's certificate (PEM)."))
    var etcdCertificate: String?

    @Option(
        help: .value(
            "file",
            "The certificate's key (PEM), with mode 600."))
    var etcdKey: String?

    @Option(
        help: .value(
            "directory",
            """
            With --log etcd: where this publisher keeps how far it has seen the log; its own, on \
            this machine.
            """))
    var stateDirectory: String?

    /// Whether any of them is given as a flag.
    var isGiven: Bool {
        let texts = [
            etcdEndpoints, etcdPrefix, etcdUser, etcdPasswordFile, etcdCa, etcdCertificate, etcdKey,
            stateDirectory,
        ]
        return texts.contains { $0 != nil }
    }

    /// What holds: flags first, then `MARTLET_…` variables that are not empty, then `configured`.
    func settings(
        _ configured: EtcdSettings, environment: [String: String],
        needsStateDirectory: Bool = true
    ) throws(CommandFailure) -> EtcdSettings {
        let environment = environment.filter { !$0.value.isEmpty }
        func given<Value>(
            _ flag: String?, _ name: String, _ configured: Value, by parse: (String) throws -> Value
        ) throws(CommandFailure) -> Value {
            try GivenText(flag, name, environment)?.parsed(by: parse) ?? configured
        }
        func file(
            _ flag: String?, _ name: String, _ configured: String?
        ) throws(CommandFailure) -> String? {
            try given(flag, name, configured) { try DirectoryText.parse($0) }
        }
        var settings = configured
        settings.endpoints = try given(
            etcdEndpoints, "--etcd-endpoints", settings.endpoints
        ) { try EtcdText.endpoints($0) }
        settings.prefix = try given(etcdPrefix, "--etcd-prefix", settings.prefix) {
            try EtcdText.prefix($0)
        }
        settings.user = try given(etcdUser, "--etcd-user", settings.user) {
            try EtcdText.user($0)
        }
        settings.passwordFile = try file(
            etcdPasswordFile, "--etcd-password-file", settings.passwordFile)
        settings.authority = try file(etcdCa, "--etcd-ca", settings.authority)
        settings.certificate = try file(
            etcdCertificate, "--etcd-certificate", settings.certificate)
        settings.key = try file(etcdKey, "--etcd-key", settings.key)
        settings.stateDirectory = try file(
            stateDirectory, "--state-directory", settings.stateDirectory)
        try Self.check(settings, needsStateDirectory: needsStateDirectory)
        return settings
    }

    private static func check(
        _ settings: EtcdSettings, needsStateDirectory: Bool
    ) throws(CommandFailure) {
        guard !settings.endpoints.isEmpty else {
            throw CommandFailure(
                .wrongUsage,
                "a log on etcd needs its members: say --etcd-endpoints URL, such as "
                    + "http://10.0.0.1:2379, too")
        }
        guard settings.stateDirectory != nil || !needsStateDirectory else {
            throw CommandFailure(
                .wrongUsage,
                "a log on etcd needs a directory of this publisher alone, for how far it has seen "
                    + "the log: say --state-directory DIRECTORY too")
        }
        if let fault = settings.faults.first {
            throw CommandFailure(.wrongUsage, "--etcd-\(fault.key.rawValue): \(fault.sentence)")
        }
    }
}
