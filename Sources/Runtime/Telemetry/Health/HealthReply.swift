import ByteCoding

/// An answer to be sent as it is.
package struct HealthReply: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// Of HTTP.
    package let status: Int
    package let contentType: String
    /// Beside the content's type and length.
    package private(set) var fields = [Field(name: "cache-control", value: "no-store")]
    package let body: String

    init(_ status: Int, _ contentType: String, _ body: String) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Problem details, RFC 9457.
    static func problem(_ status: Int, _ title: String, _ detail: String) -> HealthReply {
        let document = JSONDocument.object([
            ("title", .text(title)), ("status", .integer(status)), ("detail", .text(detail)),
        ])
        return HealthReply(status, "application/problem+json", document.line + "\n")
    }

    func with(_ name: String, _ value: String) -> HealthReply {
        var reply = self
        reply.fields.append(Field(name: name, value: value))
        return reply
    }
}
