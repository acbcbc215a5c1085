package import ByteCoding

/// On what a request is to be carried out: If-Match and If-None-Match (RFC 9110, 13).
package struct Conditions: Hashable, Sendable {
    package enum Wanted: Hashable, Sendable {
        /// `*`: whatever is there.
        case anything
        case tags([EntityTag])
    }

    package var ifMatch: Wanted?
    package var ifNoneMatch: Wanted?

    package init() {}

    package init(_ fields: FieldList) throws(Problem) {
        ifMatch = try Self.wanted("If-Match", fields)
        ifNoneMatch = try Self.wanted("If-None-Match", fields)
    }

    private static func wanted(_ name: String, _ fields: FieldList) throws(Problem) -> Wanted? {
        guard let text = fields[name] else { return nil }
        if text[...].trimmed == "*" { return .anything }
        guard let tags = EntityTag.list(text) else {
            throw Problem(
                .malformedField, "\(name) is * or a list of ETags, such as \"v7\", W/\"a1\"")
        }
        return .tags(tags)
    }

    /// Whether there is one.
    package var isThere: Bool { ifMatch != nil || ifNoneMatch != nil }

    /// Whether If-Match holds for what is there, or is not given.
    package func matches(_ current: EntityTag?) -> Bool {
        switch (ifMatch, current) {
        case (nil, _): true
        case (_, nil): false
        case (.anything, _): true
        case (.tags(let tags), .some(let current)):
            tags.contains { $0.matchesStrongly(current) }
        }
    }

    /// Whether If-None-Match names what is there.
    package func names(_ current: EntityTag?) -> Bool {
        switch (ifNoneMatch, current) {
        case (nil, _), (_, nil): false
        case (.anything, _): true
        case (.tags(let tags), .some(let current)): tags.contains { $0.matchesWeakly(current) }
        }
    }

    /// Whether a change may be made to what is there.
    ///
    /// - Throws: ``ProblemKind/preconditionFailed``.
    package func check(_ current: EntityTag?) throws(Problem) {
        guard matches(current) else {
            throw Problem(
                .preconditionFailed,
                "If-Match names another value than is there: get it again, and decide again")
        }
        guard !names(current) else {
            throw Problem(
                .preconditionFailed, "If-None-Match names the value that is there: nothing was done"
            )
        }
    }
}
