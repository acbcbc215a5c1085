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
        return try EntityTag.list(text).map(Wanted.tags)
            .or(.malformedField, "\(name) is * or a list of ETags, such as \"v7\", W/\"a1\"")
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

/// A part of a value: `Range` and `If-Range` (RFC 9110, 13.1.5 and 14.2).
///
/// One range of bytes is served. Several at once, another unit and what cannot be read are passed
/// over, as the RFC allows: the value comes whole then.
package struct RangeOrder: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        /// `bytes=5-` and `bytes=5-9`.
        case from(UInt64, through: UInt64)
        /// `bytes=-5`.
        case last(UInt64)
    }

    /// What becomes of it.
    package enum Choice: Hashable, Sendable {
        case whole
        case part(Range<Int>)
        /// It begins behind the value's end.
        case unsatisfiable
    }

    package var part: Part
    /// The value it is to be a part of, as it was sent; `nil`: any.
    package var ifRange: String?

    /// - Returns: `nil` where no part is asked for that is served.
    package init?(_ fields: FieldList) {
        guard let text = fields["Range"], let part = Self.part(text) else { return nil }
        self.part = part
        ifRange = fields["If-Range"]
    }

    private static func part(_ text: String) -> Part? {
        guard let mark = text.firstIndex(of: "="),
            FieldText.isSameWord(String(text[..<mark]), "bytes")
        else { return nil }
        let ends = text[text.index(after: mark)...]
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else {
            return nil
        }
        switch (first, last) {
        case (nil, nil): return nil
        case (nil, let count?): return .last(count)
        case (let start?, let end):
            let end = end ?? .max
            return start <= end ? .from(start, through: end) : nil
        }
    }

    /// - Returns: `nil` within: nothing stands there; `nil`: no number does. One that cannot be
    ///   counted is as great as can be.
    private static func number(_ digits: Substring) -> UInt64?? {
        guard digits.utf8.allSatisfy(\.isDigit) else { return nil }
        guard !digits.isEmpty else { return .some(nil) }
        return UInt64(digits) ?? .max
    }

    /// What is sent of a value of so many bytes.
    package func choice(of count: Int, _ etag: EntityTag) -> Choice {
        if let ifRange {
            // A date is never one of ours: values have no Last-Modified.
            guard let named = EntityTag(ifRange), named.matchesStrongly(etag) else {
                return .whole
            }
        }
        switch part {
        case .from(let start, let last):
            guard let start = Int(exactly: start), start < count else { return .unsatisfiable }
            return .part(start..<(last < UInt64(count) ? Int(last) + 1 : count))
        case .last(let length):
            guard length > 0 else { return .unsatisfiable }
            guard count > 0 else { return .whole }
            return .part((length < UInt64(count) ? count - Int(length) : 0)..<count)
        }
    }
}
