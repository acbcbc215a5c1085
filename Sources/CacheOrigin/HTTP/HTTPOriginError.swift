/// Why there can be no origin over HTTP.
package enum HTTPOriginError: Error, Equatable, CustomStringConvertible {
    /// - Parameter reason: what the reader of certificates says.
    case authorityFileUnreadable(path: String, reason: String)
    /// In a build without the trait Web.
    case notBuiltIn

    package var description: String {
        switch self {
        case .authorityFileUnreadable(let path, let reason):
            "the certificates of origins' authorities cannot be read from “\(path)” (\(reason)): "
                + "name a file of PEM certificates that this process may read"
        case .notBuiltIn:
            "this build of martlet has no HTTP client: build it with the trait Web, as a "
                + "plain swift build does"
        }
    }
}
