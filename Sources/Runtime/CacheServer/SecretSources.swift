/// Where a node finds the secrets that its origins name.
package struct SecretSources: Sendable {
    /// Variables that headers name.
    package var environment: [String: String] = [:]
    /// Where the files are that headers and TLS name; not where containers have the node's own
    /// secrets, which no configuration may name.
    package var directory = "/run/secrets/origins"

    package init() {}
}
