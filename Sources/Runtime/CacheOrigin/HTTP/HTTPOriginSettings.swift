/// What holds for every origin over HTTP of one node.
package struct HTTPOriginSettings: Sendable {
    /// Sent as `User-Agent`, unless a namespace has a field of that name.
    package var userAgent = "martlet"
    /// A connection must stand by then; an attempt's own timeout ends its wait earlier. One that is
    /// being opened cannot be called off: a shutdown may wait for it this long.
    package var connectTimeout = Duration.seconds(2)
    /// How long an unused connection is kept. Below five seconds, the shortest that common servers
    /// keep theirs: a server that closes first may do so with a request under way.
    package var idleTimeout = Duration.seconds(4)
    /// Most connections to one host and port. At least the sum of `concurrencyMax` of the
    /// namespaces that load from there, or attempts wait for each other inside, on their timeouts.
    package var connectionsPerHostMax = 1_024

    package init() {}
}

/// Why there can be no origin over HTTP, or none for a namespace.
package enum HTTPOriginError: Error, Equatable, CustomStringConvertible {
    /// - Parameter reason: what the reader of certificates says.
    case trustUnusable(reason: String)
    /// In a build without the trait Web.
    case notBuiltIn

    package var description: String {
        switch self {
        case .trustUnusable(let reason):
            "its certificates or its key cannot be used (\(reason)): they must be PEM, and the key "
                + "that of the first certificate"
        case .notBuiltIn:
            "this build of martlet has no HTTP client: build it with the trait Web, as a "
                + "plain swift build does"
        }
    }
}
