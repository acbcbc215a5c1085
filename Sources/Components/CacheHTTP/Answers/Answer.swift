package import ByteCoding

/// What is answered: a status, fields and a body.
package struct Answer: Hashable, Sendable {
    package var status: Int
    package var fields: FieldList
    package var body: [UInt8]
    /// Of an answer without its body, as HEAD wants it; `nil`: that of ``body``.
    package var contentLength: Int?

    package init(_ status: Int, _ fields: FieldList = FieldList(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package init(
        _ status: Int, json: JSONDocument, contentType: String = "application/json"
    ) {
        self.init(status, jsonLine: json.line, contentType: contentType)
    }

    /// JSON that was written before.
    package init(
        _ status: Int, jsonLine line: String, contentType: String = "application/json"
    ) {
        self.init(status, FieldList(["Content-Type": contentType]), body: Array(line.utf8))
    }

    /// What Content-Length says; `nil` where it says nothing: 204 has no content, and of a 304 it
    /// would be taken for the length of the value (RFC 9110, 8.6).
    package var statedLength: Int? {
        status == 204 || status == 304 ? nil : contentLength ?? body.count
    }

    /// The same for a HEAD: everything but the body.
    package var withoutBody: Answer {
        var answer = self
        answer.contentLength = contentLength ?? body.count
        answer.body = []
        return answer
    }
}
