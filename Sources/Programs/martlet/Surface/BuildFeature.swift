import CacheConfiguration
import CacheModel
import CommandSurface

/// A part of martlet that a build without the package trait `Web` leaves out
/// (docs/decisions/0078).
struct BuildFeature: Hashable, Sendable {
    static let trait = "Web"

    /// As it is called in a sentence.
    let noun: String
    let isBuiltIn: Bool

    static let gateway = BuildFeature(noun: "gateway", isBuiltIn: hasWeb)
    /// Asks origins, keeps a log on etcd, and sends spans to a collector.
    static let httpClient = BuildFeature(noun: "HTTP client", isBuiltIn: hasWeb)

    #if Web
        static let hasWeb = true
    #else
        static let hasWeb = false
    #endif

    var absence: String {
        "this build of martlet has no \(noun): build it with the trait \(Self.trait), as a "
            + "plain swift build does"
    }

    /// Throws in a build without it.
    ///
    /// - Parameter user: what needs it, such as a flag.
    func require(for user: String, _ status: ExitStatus = .wrongUsage) throws(CommandFailure) {
        guard !isBuiltIn else { return }
        throw CommandFailure(status, "\(user): \(absence)")
    }

    /// Throws in a build without it, where a namespace has an origin.
    func requireForOrigins(of configuration: ClusterConfiguration) throws(CommandFailure) {
        let names = configuration.namespaces.filter { $0.value.origin != nil }.map(\.key.name)
        guard let name = names.min() else { return }
        try require(for: "the origin of namespace \(name)", .unusableConfiguration)
    }

    /// Throws in a build without it, where the configuration keeps the log on etcd.
    func requireForLog(of configuration: ClusterConfiguration) throws(CommandFailure) {
        guard case .etcd = configuration.publisher.log else { return }
        try require(for: "publisher.log: \(LogStorage.etcdWord)", .unusableConfiguration)
    }
}
