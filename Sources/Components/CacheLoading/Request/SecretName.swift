/// The name of a file inside a node's directory of secrets.
package enum SecretName {
    /// Prefix of a file name in a header's value: `${file:api-token}`.
    package static let prefix = "file:"

    /// Whether a name stays inside the directory: relative, without `.`, `..` and empty parts.
    package static func isUsable(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= OriginRequestLimits.fileNameBytesMax,
            !name.utf8.contains(0)
        else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }
}
