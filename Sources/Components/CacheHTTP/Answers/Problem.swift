import ByteCoding

/// Why a request fails: a kind for programs and, for people, what can be done about it. It is
/// answered as a problem document (RFC 9457).
package struct Problem: Error, Hashable, Sendable {
    package var kind: ProblemKind
    /// What went wrong with this request, and the remedy; one sentence.
    package var detail: String
    /// After how many seconds a retry may succeed.
    package var retryAfterSeconds: Int?
    /// Whether what was asked for may have been done all the same.
    package var mayHaveHappened = false
    /// Fields that go with the answer beside those that every problem has.
    package var fields = FieldList()

    package init(_ kind: ProblemKind, _ detail: String, retryAfterSeconds: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.retryAfterSeconds = retryAfterSeconds ?? kind.retryAfterSeconds
    }

    /// What kinds are called in `type`, before their own name.
    package static let typePrefix = "urn:martlet:problem:"

    /// The same, where it is found out only after a request was carried out, and takes the place of
    /// its answer: what a method changes is done by then.
    package func afterwards(_ method: String) -> Problem {
        var problem = self
        problem.mayHaveHappened = GatewayMethod(rawValue: method)?.isSafe != true
        return problem
    }

    package var answer: Answer {
        var members: [JSONDocument.Member] = [
            ("type", .text(Self.typePrefix + kind.rawValue)), ("title", .text(kind.title)),
            ("status", .integer(kind.status)), ("detail", .text(detail)),
        ]
        if mayHaveHappened { members.append(("may_have_happened", .bool(true))) }
        var answer = Answer(
            kind.status, json: .object(members), contentType: "application/problem+json")
        if let retryAfterSeconds { answer.fields.append("Retry-After", "\(retryAfterSeconds)") }
        for field in fields.fields { answer.fields.append(field.name, field.value) }
        return answer
    }
}

/// What kinds of problems there are. A closed list; each has a name in `type`, a title and a
/// status, and a line in docs/http.md.
package enum ProblemKind: String, CaseIterable, Sendable {
    // The request as it is cannot be answered.
    case malformedTarget = "malformed-target"
    case malformedField = "malformed-field"
    case malformedBody = "malformed-body"
    case invalidArgument = "invalid-argument"
    case unauthenticated
    case forbidden
    case foreignPage = "foreign-page"
    case unknownRoute = "unknown-route"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case slowRequest = "slow-request"
    case conflict
    case preconditionFailed = "precondition-failed"
    case bodyTooLarge = "body-too-large"
    case valueTooLarge = "value-too-large"
    case unsatisfiableRange = "unsatisfiable-range"
    case misdirected
    case headTooLarge = "head-too-large"

    // The gateway or the cluster cannot now.
    case fault
    case unknownCoding = "unknown-coding"
    case clusterDenies = "cluster-denies"
    case originFailed = "origin-failed"
    case badAnswer = "bad-answer"
    case unreachable
    case busy
    case behind
    case stopping
    case timedOut = "timed-out"
    case notCached = "not-cached"
    case full

    package var status: Int { facts.status }
    package var title: String { facts.title }

    private var facts: (status: Int, title: String) {
        switch self {
        case .malformedTarget: (400, "The URL cannot be read")
        case .malformedField: (400, "A field of the request cannot be read")
        case .malformedBody: (400, "The body cannot be read")
        case .invalidArgument: (400, "Something is outside its limits")
        case .unauthenticated: (401, "A token is needed")
        case .forbidden: (403, "The token does not allow it")
        case .foreignPage: (403, "A page of another origin may not do this")
        case .unknownRoute: (404, "There is no such resource")
        case .notFound: (404, "The key is not in the cache")
        case .methodNotAllowed: (405, "The resource does not have this method")
        case .slowRequest: (408, "The request took too long to arrive")
        case .conflict: (409, "The store was not admitted")
        case .preconditionFailed: (412, "The condition does not hold")
        case .bodyTooLarge: (413, "The body is too long for this gateway")
        case .valueTooLarge: (413, "The value is longer than a value may be")
        case .unsatisfiableRange: (416, "The value has no such part")
        case .misdirected: (421, "The host is not this gateway's")
        case .headTooLarge: (431, "The head of the request is too long")
        case .fault: (500, "The gateway is at fault")
        case .unknownCoding: (501, "The body's transfer coding is not known here")
        case .clusterDenies: (502, "The cluster does not allow it to this gateway")
        case .originFailed: (502, "The origin gave no value")
        case .badAnswer: (502, "The cluster's answer cannot be read")
        case .unreachable: (503, "The cluster, or a part of it, is not available")
        case .busy: (503, "There is no room for it now")
        case .behind: (503, "The cluster cannot show what was asked for yet")
        case .stopping: (503, "The gateway is stopping")
        case .timedOut: (504, "The cluster did not answer in time")
        case .notCached: (504, "It is not in the cache, and nothing else was asked for")
        case .full: (507, "The cache has no room for it and evicts nothing for it")
        }
    }

    /// After how many seconds another attempt may come to something; `nil`: not by waiting.
    package var retryAfterSeconds: Int? {
        switch self {
        case .unreachable, .busy, .behind, .stopping: 1
        default: nil
        }
    }
}

extension Optional {
    /// The value; a problem if there is none.
    package func or(
        _ kind: ProblemKind, _ detail: @autoclosure () -> String
    ) throws(Problem) -> Wrapped {
        guard let self else { throw Problem(kind, detail()) }
        return self
    }
}
