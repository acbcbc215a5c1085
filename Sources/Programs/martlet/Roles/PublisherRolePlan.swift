import AccessControl
import CacheConfiguration
import CacheModel
import CommandSurface
import EtcdStorage
import PublisherServer

/// Which publisher of a cluster a process is, and where it keeps the log: flags first, then
/// `MARTLET_…` variables, then the configuration.
struct PublisherRolePlan {
    /// Of this publisher, with the log that holds.
    var settings: PublisherSettings
    /// Its name among those that can lead; only of one with a log on etcd.
    var name = Self.nameAlone

    /// All publishers that can lead, as the configuration names them.
    private var members: [NamedPublisher]

    /// The name of a publisher that no configuration lists.
    static let nameAlone = "publisher"

    /// - Parameter id: what `--id` says.
    init(
        id: String?, _ log: PublisherLogOptions, _ configuration: ClusterConfiguration,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(CommandFailure) {
        let given = GivenText(id, "--id", environment.filter { !$0.value.isEmpty })
        let isOneOfSeveral = !configuration.publishers.isEmpty
        settings = configuration.publisher
        members = configuration.publishers.map { NamedPublisher($0.id.name, at: $0.endpoint) }
        if isOneOfSeveral {
            let member = try Self.member(given, of: configuration)
            (settings, name) = (member.settings, member.name)
        }
        if let logSync = log.logSync { settings.logSync = logSync }
        let configured = settings.log
        settings.log = try log.storage(
            configured, isOneOfSeveral: isOneOfSeveral, environment: environment)
        if configuration.topology == .slots { try checkSlots(configuration) }
        guard case .etcd = settings.log else {
            guard id == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "--id is for one of several publishers: list them under publishers in the "
                        + "configuration, or say --log \(LogStorage.etcdWord)")
            }
            return
        }
        if !isOneOfSeveral, let given {
            name = try given.parsed { try Self.checked($0) }
        }
        if case .etcd = configured { return }
        try limitRetention()
    }

    private func checkSlots(_ configuration: ClusterConfiguration) throws(CommandFailure) {
        guard settings.log != .memory else {
            throw CommandFailure(
                .unusableConfiguration,
                "topology: slots needs a log that outlives the publisher, because the log has the "
                    + "owner of each key: say --log DIRECTORY, or write publisher.log into the "
                    + "configuration")
        }
        guard let sentence = configuration.slotsRefusal else { return }
        throw CommandFailure(.unusableConfiguration, sentence)
    }

    private static func member(
        _ given: GivenText?, of configuration: ClusterConfiguration
    ) throws(CommandFailure) -> (settings: PublisherSettings, name: String) {
        let listed = configuration.publishers.map(\.id.name).joined(separator: ", ")
        guard let given else {
            throw CommandFailure(
                .wrongUsage,
                "--id is missing: which publisher of the configuration is this? It lists \(listed)")
        }
        let name = try given.parsed { try checked($0) }
        guard let id = NodeID(name), let settings = configuration.publisherSettings(of: id) else {
            throw CommandFailure(
                .unusableConfiguration,
                "publisher \(name) is not in the configuration, which lists \(listed): add it "
                    + "under publishers")
        }
        return (settings, name)
    }

    private static func checked(_ text: String) throws(TextProblem) -> String {
        if let id = NodeID(text) { return id.name }
        throw TextProblem(
            "\(TextProblem.quote(text)) is not a name; use 1 to 64 of a-z A-Z 0-9 . _ -")
    }

    /// The configuration has a retention for another log than the one on etcd that was given.
    private mutating func limitRetention() throws(CommandFailure) {
        guard settings.retentionAgeMax == nil else {
            throw CommandFailure(
                .unusableConfiguration,
                "publisher.retention.age is for a log on disk, and this one is on etcd: write "
                    + "publisher.log: etcd, and bytes or records, into the configuration")
        }
        if settings.retentionBytesMax == PublisherSettings.standard.retentionBytesMax {
            settings.retentionBytesMax = PublisherSettings.retentionBytesOnEtcd
        }
        let most = ConfigurationLimits.retentionBytesOnEtcd.upperBound
        guard settings.retentionBytesMax <= most else {
            throw CommandFailure(
                .unusableConfiguration,
                "publisher.retention.bytes is more than a log on etcd may have, "
                    + "\(ByteSizeText.format(most)): lower it")
        }
    }

    /// What a log on etcd needs, with the secrets in it; `nil`: the log is elsewhere.
    ///
    /// - Throws: for a file that cannot be used.
    func etcd() throws(CommandFailure) -> EtcdPublisherOptions? {
        guard case .etcd(let etcd) = settings.log, let directory = etcd.stateDirectory else {
            return nil
        }
        let alone = [NamedPublisher(name, at: settings.endpoint)]
        return EtcdPublisherOptions(
            name: name, among: members.isEmpty ? alone : members,
            client: try EtcdOptions(reading: etcd), prefix: etcd.prefix,
            stateDirectory: directory)
    }
}

extension EtcdOptions {
    /// What `settings` say, with the contents of the files that they name. No error repeats any
    /// part of a file.
    init(reading settings: EtcdSettings) throws(CommandFailure) {
        self.init(endpoints: settings.endpoints)
        user = settings.user
        if let path = settings.passwordFile { password = try Self.password(in: path) }
        authority = try Self.certificates(in: settings.authority, isSecret: false)
        certificate = try Self.certificates(in: settings.certificate, isSecret: false)
        key = try Self.certificates(in: settings.key, isSecret: true)
    }

    /// The file's only line.
    private static func password(in path: String) throws(CommandFailure) -> String {
        let bytesMax = ConfigurationLimits.etcdPasswordBytesMax
        // With the end of its line.
        let bytes = try contents(of: path, bytesMax: bytesMax + 2, isSecret: true)
        let lines = bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let line = lines[0].last == UInt8(ascii: "\r") ? lines[0].dropLast() : lines[0]
        guard lines.count == 1 || lines[1].isEmpty, (1...bytesMax).contains(line.count),
            let password = String(validating: line, as: UTF8.self)
        else {
            throw CommandFailure(
                .unusableConfiguration,
                "\(path) holds no password of etcd: one line of 1 to \(bytesMax) bytes is wanted")
        }
        return password
    }

    private static func certificates(
        in path: String?, isSecret: Bool
    ) throws(CommandFailure) -> [UInt8]? {
        guard let path else { return nil }
        return try contents(
            of: path, bytesMax: ConfigurationLimits.pemFileBytesMax, isSecret: isSecret)
    }

    private static func contents(
        of path: String, bytesMax: Int, isSecret: Bool
    ) throws(CommandFailure) -> [UInt8] {
        do throws(OpenedFile.Problem) {
            return try OpenedFile.contents(of: path, bytesMax: bytesMax, isSecret: isSecret)
        } catch {
            let remedy =
                if case .open = error {
                    "; chmod 600 it if you are sure that no other user has read it, else make a "
                        + "new secret"
                } else { "; check the path" }
            throw CommandFailure(
                .unusableConfiguration,
                "\(path), which the connection to etcd needs, cannot be used: \(error.reason)"
                    + remedy)
        }
    }
}
