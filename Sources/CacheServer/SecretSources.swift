/// Where a node finds the secrets that its origins name.
package struct SecretSources: Sendable {
    /// Variables that headers name.
    package var environment: [String: String] = [:]
    /// Where the files are that headers and TLS name; as a default where containers have theirs.
    package var directory = "/run/secrets"

    package init() {}
}
