import ByteCoding

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

/// A method that some resource of the gateway has. Names are case-sensitive.
package enum GatewayMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case delete = "DELETE"
    case post = "POST"
    /// Not of any RFC, and what proxies have spoken for twenty years.
    case purge = "PURGE"

    /// Whether it changes nothing.
    package var isSafe: Bool { self == .get || self == .head }
}

/// Fields that say which request of the outside one belongs to (W3C Trace Context, 2021).
package enum TraceField {
    /// Of requests, and of answers to those that had it.
    package static let parent = "Traceparent"
    package static let state = "Tracestate"
    /// Of every answer: what logs call the request.
    package static let requestID = "Martlet-Request-Id"
}

/// The token in `Authorization: Bearer …` (RFC 6750).
package enum BearerToken {
    /// - Returns: `nil` if there is none.
    /// - Throws: ``ProblemKind/unauthenticated`` for another scheme, or something that is no token.
    package static func read(_ fields: FieldList) throws(Problem) -> String? {
        guard let text = fields["Authorization"] else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 2, FieldText.isSameWord(String(words[0]), "Bearer"),
            words[1].utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || "+/=".utf8.contains($0) }
            )
        else {
            throw refusal("Authorization is Bearer and a token: letters, digits and - . _ ~ + / =")
        }
        return String(words[1])
    }

    /// The answer to a client without a token, or with one that is not in force.
    package static func refusal(_ detail: String) -> Problem {
        refusal(detail, asking: "Bearer realm=\"martlet\"")
    }

    /// The same for a token that does not hold (RFC 6750, 3.1).
    package static func invalid(_ detail: String) -> Problem {
        refusal(detail, asking: "Bearer realm=\"martlet\", error=\"invalid_token\"")
    }

    private static func refusal(_ detail: String, asking challenge: String) -> Problem {
        var problem = Problem(.unauthenticated, detail)
        problem.fields.append("WWW-Authenticate", challenge)
        return problem
    }
}
