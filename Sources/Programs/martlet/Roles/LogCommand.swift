import ArgumentParser
import CacheConfiguration
import CommandSurface
import EtcdStorage
import PublisherServer
import Storage
import Threading

/// `martlet log`: work on a publisher's log while no publisher runs.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Move a publisher's log.",
        discussion: """
            Example:
              martlet log copy --from /var/lib/martlet/log --to etcd --config cluster.yaml
            """,
        subcommands: [LogCopyCommand.self])
}

/// `martlet log copy`: from a directory to etcd, or back.
struct LogCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a log from a directory to etcd, or back.",
        discussion: """
            Example:
              martlet log copy --from /var/lib/martlet/log --to etcd --config cluster.yaml
              martlet log copy --from etcd --to /var/lib/martlet/log --config cluster.yaml

            The log goes on at its new place under the same id, with the runs of nodes, the paced \
            invalidations and the cluster's identity: no node hides anything. Stop all publishers \
            first, and start the new ones afterwards. The place that is copied from is not \
            changed; the one that is copied to must have no log.
            """)

    @Option(help: .value("directory", "The log to copy: a directory, or etcd."))
    var from: String

    @Option(help: .value("directory", "Where it goes: a directory, or etcd."))
    var to: String

    @Option(
        help: .value("file", "The configuration that names etcd; flags and variables override it."))
    var config: String?

    @OptionGroup var etcd: EtcdLogOptions

    func run() async throws {
        let isToEtcd = to == LogStorage.etcdWord
        guard isToEtcd != (from == LogStorage.etcdWord) else {
            throw CommandFailure(
                .wrongUsage,
                "one of --from and --to is \(LogStorage.etcdWord), the other a directory")
        }
        try BuildFeature.httpClient.require(for: "log copy")
        let settings = try settings()
        let copied = try await blocking("copy") {
            Result { try copy(isToEtcd, settings) }
        }.get()
        print(
            "copied \(copied.recordCount) records of log \(copied.log), up to \(copied.head), to "
                + (isToEtcd ? "\(settings.prefix) of etcd" : to))
    }

    private func settings() throws -> EtcdSettings {
        var configured = EtcdSettings(endpoints: [])
        if let config {
            let file = try ConfigurationFile.read(config)
            if case .etcd(let etcd) = file.publisher.log { configured = etcd }
        }
        return try etcd.settings(
            configured, environment: ProcessEnvironment.variables, needsStateDirectory: false)
    }

    private func copy(_ isToEtcd: Bool, _ settings: EtcdSettings) throws -> LogCopy.Summary {
        let files = LogFilesOptions(directory: isToEtcd ? from : to, PublisherSettings.standard)
        var options = try EtcdOptions(reading: settings)
        // No lease depends on it.
        options.requestTime = .seconds(10)
        do {
            let copy = try LogCopy(options, prefix: settings.prefix)
            defer { copy.close() }
            return isToEtcd ? try copy.toEtcd(from: files) : try copy.toDirectory(files)
        } catch let error as LogCopyError {
            throw CommandFailure(.refused, "\(error)")
        } catch {
            throw CommandFailure(.unusableConfiguration, "\(error)")
        }
    }
}
