/// What a request begins with, as it came.
package struct RequestHead: Hashable, Sendable {
    package var method: String
    /// Path and query as they were sent, percent-encoded; or the whole URL, as proxies may write.
    package var target: String
    /// What a target that is a whole URL says, else `Host` or `:authority`; `nil` if nothing does.
    package var authority: String?
    package var fields: FieldList

    package init(
        _ method: String, _ target: String, _ fields: FieldList = FieldList(),
        authority: String? = nil
    ) {
        self.method = method
        self.target = target
        self.authority = Self.authority(in: target).map { String($0) } ?? authority
        self.fields = fields
    }

    /// The host and port in a whole URL. They count, and not Host (RFC 9112, 3.2.2).
    package static func authority(in target: String) -> Substring? {
        guard target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://")
        else { return nil }
        return target[scheme.upperBound...].prefix { !"/?#".contains($0) }
    }
}
