/// What a request begins with, as it came.
package struct RequestHead: Hashable, Sendable {
    package var method: String
    /// Path and query as they were sent, percent-encoded; or the whole URL, as proxies may write.
    package var target: String
    /// What `Host` says, or `:authority`; `nil` if nothing does.
    package var authority: String?
    package var fields: FieldList

    package init(
        _ method: String, _ target: String, _ fields: FieldList = FieldList(),
        authority: String? = nil
    ) {
        self.method = method
        self.target = target
        self.authority = authority
        self.fields = fields
    }
}
