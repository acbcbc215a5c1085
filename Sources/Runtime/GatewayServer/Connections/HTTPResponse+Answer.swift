import CacheHTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

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
