import ByteCoding
import CacheModel

/// Interprets an origin's answer for the cache: HTTP [1], HTTP caching [2], stale windows [3] and
/// cache groups [4], as a shared cache that stores values, not messages.
///
///     status ─▶ value · unchanged · absent · failed
///     fields ─▶ lifetime, windows, age · validator, version · tags · whether it may be stored
///
/// A pure function of the answer and its request: no clock, no state, linear also in the worst
/// case.
///
/// ### Time
/// The node's clock is never compared with the origin's. Expires counts as Expires − Date, both
/// from the answer; without a readable Date, Expires makes the value stale. Age is the Age field
/// plus how long the answer took. The *apparent age* – local wall clock less Date – is not used;
/// [2], 4.2.3, permits that. If the clocks of two hosts differ, it makes values look older or
/// younger than they are. The cost: behind a cache that sends no Age, values look younger than they
/// are.
///
/// ``LoadedFacts/lifetime`` counts from the moment the answer was complete: the age is already
/// subtracted. If the age exceeds the lifetime, the excess is subtracted from the windows, which
/// begin at the end of the lifetime.
///
/// A 304 updates the fields of the answer that it confirms: [2], 3.2. Its Cache-Control counts for
/// all directives, and its Expires and Date replace the stored ones. A field that it does not have
/// keeps its old value; this also applies to Content-Type and Content-Language.
///
/// ### Where it differs from the RFCs
/// - Of repeated directives the strictest counts. A malformed Cache-Control – a missing comma, or a
///   string without an end – makes the answer stale, and all its directives are still obeyed.
/// - There is no heuristic lifetime: if the answer states none, the namespace's lifetime applies.
/// - `no-cache` and `private` with field names apply to the whole answer if they name a field of
///   which something is stored – validator, tags, version, representation. Otherwise they apply to
///   nothing, because no other field is stored.
/// - Vary is not a secondary key: every request to an origin has the same fields, so they select
///   nothing. `*` means that something else does, and the value is not stored.
/// - Every request says `Accept-Encoding: identity`. A value that is encoded all the same is stored
///   as received, with its encoding. A 304 does not change the encoding, because the bytes stay the
///   same.
/// - An Authorization field in the request does not prevent storing, contrary to [2], 3.5: it comes
///   from the namespace's configuration, and every reader of the namespace is served under that
///   identity.
/// - A 404 or 410 has no validator: it would identify the error page.
/// - A value with an unreadable tag or version is not stored: an invalidation would not find it, or
///   it would replace a newer value.
///
/// ### Lifetimes from the namespace
/// A namespace may set lifetimes itself (``OriginPolicy/LifetimeSource/namespace``). Then lifetime
/// and windows of the answer are ignored. `no-store` and `private` still apply: they restrict which
/// readers may receive the value, not for how long.
///
/// [1] RFC 9110. [2] RFC 9111. [3] RFC 5861. [4] RFC 9875, a structured field: RFC 9651.
package struct AnswerReader {
    let fields: AnswerFields
    let request: OriginRequest
    let elapsed: Duration
    let directives: CacheDirectives
    /// Whether it has a Cache-Control, or a Pragma instead.
    let hasDirectives: Bool
    /// The terms of the answer that a 304 confirms: they apply where this answer has no field of
    /// its own.
    let confirmed: LoadTerms?
    /// `no-cache`: it must be revalidated before every use.
    let forbidsReuse: Bool
    /// The Date of the answer; `nil` if it is missing, not readable or ambiguous.
    let date: HTTPDate?

    private init(_ reply: OriginReply, to request: OriginRequest) {
        fields = AnswerFields(reply.fields)
        self.request = request
        elapsed = reply.elapsed
        date = fields.agreedText(of: FieldName.date).flatMap { HTTPDate($0) }
        let lines = fields.lines(of: FieldName.cacheControl)
        directives = CacheDirectives(
            answer: lines, kept: FieldName.kept + (request.policy.versionField.map { [$0] } ?? []))
        // Pragma means the same where there is no Cache-Control at all: RFC 9111, 5.4.
        let pragma = lines.isEmpty ? fields.lines(of: FieldName.pragma) : []
        hasDirectives = !lines.isEmpty || !pragma.isEmpty
        confirmed = reply.status == 304 ? request.held : nil
        forbidsReuse =
            directives.forbidsReuse || CacheDirectives(answer: pragma, kept: []).forbidsReuse
    }

    /// The outcome of `reply` to `request`.
    ///
    ///     200, 203, 204             a value; 204 an empty one
    ///     304                       unchanged, if the request had a validator
    ///     404, 410                  absent
    ///     408, 425, 429, 5xx        unavailable, with Retry-After
    ///     others below 500          refused
    ///     not a valid status        unavailable: RFC 9110, 15, treats it as a 5xx
    ///
    /// - Complexity: O(bytes of the fields).
    package static func read(_ reply: OriginReply, to request: OriginRequest) -> LoadOutcome {
        let reader = AnswerReader(reply, to: request)
        return switch reply.status {
        case 200, 203: reader.value(reply.body)
        // An empty value has no representation.
        case 204: .value([], reader.facts(validator: reader.validator))
        case 304: reader.unchanged
        case 404, 410: .absent(reader.facts(validator: nil))
        case 408, 425, 429: .failed(.unavailable, retryAfter: reader.retryAfter)
        case 100..<500: .failed(.refused, retryAfter: nil)
        default: .failed(.unavailable, retryAfter: reader.retryAfter)
        }
    }

    /// If the encoding cannot be stored with the bytes, no reader could decode them.
    private func value(_ body: [UInt8]) -> LoadOutcome {
        guard hasReadableEncoding else { return .failed(.malformed, retryAfter: nil) }
        if body.count > request.valueBytesMax { return .failed(.tooLarge, retryAfter: nil) }
        var facts = facts(validator: validator)
        facts.representation = representation
        return .value(body, facts)
    }

    /// The validator of the request stays: it belongs to the stored value, and is confirmed.
    private var unchanged: LoadOutcome {
        guard let asked = request.validator, confirms(asked) else {
            return .failed(.malformed, retryAfter: nil)
        }
        var facts = facts(validator: asked)
        facts.representation = representation
        return .unchanged(facts)
    }

    private func facts(validator: Validator?) -> LoadedFacts {
        var facts = LoadedFacts()
        facts.validator = validator
        setTimes(of: &facts)
        setLabels(of: &facts)
        return facts
    }
}

/// The fields of one answer, accessed by name.
struct AnswerFields: Sequence {
    private let fields: [OriginField]

    init(_ fields: [OriginField]) {
        self.fields = fields
    }

    /// All lines of that name, in order.
    ///
    /// - Complexity: O(fields), plus O(bytes) of the lines returned.
    func lines(of name: String) -> [FieldText] {
        fields.filter { FieldText.isSameWord($0.name, name) }.map { FieldText($0.value) }
    }

    /// The common text of all lines of that name; `nil` if there is none, or if they differ.
    func agreedText(of name: String) -> FieldText? {
        let lines = lines(of: name)
        guard let first = lines.first, lines.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The list members of all lines of that name, in order; empty members are skipped.
    func members(of name: String) -> [FieldText] {
        lines(of: name).flatMap { line in
            var (rest, members) = (line, [FieldText]())
            while let member = rest.takeMember(endedBy: \.isComma) { members.append(member) }
            return members
        }
    }

    /// Names and values as received, in order.
    func makeIterator() -> IndexingIterator<[OriginField]> { fields.makeIterator() }
}

/// The HTTP fields that loading reads or sends, in their usual spelling.
///
/// Names are compared case-insensitively.
enum FieldName {
    // Read from an answer.
    static let age = "Age"
    static let cacheControl = "Cache-Control"
    static let cacheGroups = "Cache-Groups"
    static let cacheTag = "Cache-Tag"
    static let contentEncoding = "Content-Encoding"
    static let contentLanguage = "Content-Language"
    static let contentType = "Content-Type"
    static let date = "Date"
    static let entityTag = "ETag"
    static let expires = "Expires"
    static let lastModified = "Last-Modified"
    static let pragma = "Pragma"
    static let retryAfter = "Retry-After"
    static let surrogateKey = "Surrogate-Key"
    static let vary = "Vary"

    // Sent with a request.
    static let ifModifiedSince = "If-Modified-Since"
    static let ifNoneMatch = "If-None-Match"

    /// Fields of which something is stored with the entry. The field of the version, which the
    /// namespace names, is one more.
    static let kept = [
        entityTag, lastModified, surrogateKey, cacheTag, cacheGroups, contentType, contentEncoding,
        contentLanguage,
    ]
}
