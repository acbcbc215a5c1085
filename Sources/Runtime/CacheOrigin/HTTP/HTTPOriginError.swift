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
