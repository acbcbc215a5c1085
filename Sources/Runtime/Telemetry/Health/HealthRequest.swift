/// What is asked, as far as it matters.
package struct HealthRequest: Sendable {
    package var method: String
    /// Without the query.
    package var path: String
    /// The fields of the same name; `nil` where there is none.
    package var accept: String?
    package var authorization: String?
    /// The name that it was addressed to; `nil` where it has none.
    package var host: String?

    package init(
        method: String, path: String, accept: String? = nil, authorization: String? = nil,
        host: String? = nil
    ) {
        self.method = method
        self.path = path
        self.accept = accept
        self.authorization = authorization
        self.host = host
    }
}
