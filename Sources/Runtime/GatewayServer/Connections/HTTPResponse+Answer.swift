import ByteCoding
import CacheHTTP
import HTTPTypes
import HummingbirdCore
import NIOCore
import Threading
import EssentialFoundation

extension HTTPResponse {
    /// The head of an answer.
    init(_ answer: Answer) {
        var fields = HTTPFields()
        fields.reserveCapacity(answer.fields.fields.count + 2)
        for field in answer.fields.fields {
            guard let name = HTTPField.Name(field.name) else {
                preconditionFailure("the names of fields are the gateway's own, and tokens")
            }
            fields.append(HTTPField(name: name, value: field.value))
        }
        if let length = answer.statedLength { fields[.contentLength] = "\(length)" }
        self.init(status: Status(code: answer.status), headerFields: fields)
    }
}

extension RequestHead {
    /// The common parts of HTTP/1.1 and HTTP/2.
    init(_ request: HTTPRequest) {
        var fields = FieldList()
        for field in request.headerFields { fields.append(field.name.rawName, field.value) }
        self.init(
            request.method.rawValue, request.path ?? "", fields, authority: request.authority)
    }
}

/// The text of `Date`, updated once a second.
final class DateField: Sendable {
    private let last = Guarded((second: -1, text: ""))

    var text: String {
        let second = Int(Date().timeIntervalSince1970)
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate(secondsSince1970: second).text) }
            return last.text
        }
    }
}

extension HTTPFields {
    /// `Content-Length`; `nil` if there is none.
    var statedLength: Int? { self[.contentLength].flatMap { Int($0) } }
}

extension Channel {
    /// Whether it is a stream of HTTP/2: that has a connection as its parent, and every connection
    /// has a server as its parent.
    var isStream: Bool { parent?.parent != nil }
}
