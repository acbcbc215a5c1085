import CacheConfiguration
import CacheModel
import CommandSurface

/// A part of martlet that a build leaves out where its trait of the package is off
/// (docs/decisions/0078).
struct BuildFeature: Hashable, Sendable {
    let trait: String
    /// As it is called in a sentence.
    let noun: String
    let isBuiltIn: Bool

    static let gateway = BuildFeature(trait: "Gateway", noun: "gateway", isBuiltIn: hasGateway)
    /// Asks origins, and sends spans to a collector.
    static let httpClient = BuildFeature(
        trait: "HTTPClient", noun: "HTTP client", isBuiltIn: hasHTTPClient)
    static let all = [gateway, httpClient]

    #if Gateway
        private static let hasGateway = true
    #else
        private static let hasGateway = false
    #endif

    #if HTTPClient
        private static let hasHTTPClient = true
    #else
        private static let hasHTTPClient = false
    #endif

    /// Why something is refused in a build without it, and what to do.
    var absence: String {
        "this build of martlet has no \(noun): build it with the trait \(trait), as a plain "
            + "swift build does"
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
}
