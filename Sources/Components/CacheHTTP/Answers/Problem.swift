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
        answer.fields.append("Cache-Control", "no-store")
        if let retryAfterSeconds { answer.fields.append("Retry-After", "\(retryAfterSeconds)") }
        for field in fields.fields { answer.fields.append(field.name, field.value) }
        return answer
    }
}
