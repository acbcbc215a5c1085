import CacheModel

/// Reads what an origin's answer means for the cache: HTTP [1], its caching [2], stale windows [3]
/// and groups [4], as a shared cache that keeps a value and not a message.
///
///     status ─▶ value · unchanged · absent · failed
///     fields ─▶ lifetime, windows, age · validator, version · tags · whether it may be kept
///
/// A function of the answer and its request: no clock, no state, linear in the worst of answers.
///
/// ### Time
/// No clock of ours is held against one of the origin's. Expires counts as Expires − Date, both
/// from the answer; what comes with no Date that can be read is stale. Age is the Age field plus
/// how long the answer took. The *apparent age* – our wall clock less Date – is not used, which
/// [2], 4.2.3, leaves open: where two hosts' clocks differ it makes values old, or young, that are
/// not. The price: behind a cache that sends no Age, values look younger than they are.
///
/// ``LoadedFacts/lifetime`` counts from when the answer was whole: the age is taken off already.
/// What the age exceeds a lifetime by is taken off the windows, which begin where that ended.
///
/// A 304 updates the fields of the answer that it confirms: [2], 3.2. Its Cache-Control counts for
/// all directives, and its Expires and Date for theirs; what it does not have stays as it was. So
/// do Content-Type and Content-Language.
///
/// ### Where it differs from the RFCs
/// - Of doubled directives the strictest counts. A Cache-Control that is broken – a comma missing,
///   or the end of a string – makes the answer stale, and all that is in it is still obeyed.
/// - There is no heuristic lifetime: where the answer says none, the namespace does.
/// - `no-cache` and `private` with field names hold for the whole answer if they name a field of
///   which something is kept – validator, tags, version, representation –, and else for nothing,
///   because nothing else of the fields outlives this function.
/// - Vary is no second key: every request to an origin is sent with the same fields, so they vary
///   nothing. `*` says that something else does, and keeps the value out.
/// - Every request says `Accept-Encoding: identity`. What comes in a coding all the same is kept as
///   it came, with the coding; a 304 does not change it, because the bytes are those that came.
/// - An Authorization field in the request keeps no value out, against [2], 3.5: it is from the
///   namespace's configuration, and every reader of the namespace is served under that identity.
/// - A 404 or 410 has no validator: it would be that of the page which says so.
/// - A tag or version that cannot be read keeps the value out: without it an invalidation would
///   not find the value, or it would replace a newer one.
///
/// ### Who decides
/// A namespace may decide on lifetimes alone (``OriginPolicy/LifetimeSource/namespace``). Then
/// nothing that the answer says of lifetime and windows is heard. `no-store` and `private` hold
/// still: they are about who may have it, not for how long.
///
/// [1] RFC 9110. [2] RFC 9111. [3] RFC 5861. [4] RFC 9875, a structured field: RFC 9651.
package struct AnswerReader {
    let fields: AnswerFields
    let request: OriginRequest
    let elapsed: Duration
    let directives: CacheDirectives
    /// Whether it has a Cache-Control, or a Pragma in place of one.
    let hasDirectives: Bool
    /// Of what a 304 confirms: what that answer said where this one has no field of its own.
    let confirmed: LoadTerms?
    /// Whether it has to be asked about before every use: `no-cache`.
    let forbidsReuse: Bool
    /// When the answer was made, by its own account; `nil` if it does not say so in one way.
    let date: HTTPDate?

    private init(_ reply: OriginReply, to request: OriginRequest) {
        fields = AnswerFields(reply.fields)
        self.request = request
        elapsed = reply.elapsed
        date = fields.agreedText(of: FieldName.date).flatMap { HTTPDate($0) }
        let lines = fields.lines(of: FieldName.cacheControl)
        directives = CacheDirectives(
            lines, kept: FieldName.kept + (request.policy.versionField.map { [$0] } ?? []))
        // Pragma means the same where there is no Cache-Control at all: RFC 9111, 5.4.
        let pragma = lines.isEmpty ? fields.lines(of: FieldName.pragma) : []
        hasDirectives = !lines.isEmpty || !pragma.isEmpty
        confirmed = reply.status == 304 ? request.held : nil
        forbidsReuse = directives.forbidsReuse || CacheDirectives(pragma, kept: []).forbidsReuse
    }

    /// What `reply` comes to as the answer to `request`.
    ///
    ///     200, 203, 204             a value; 204 an empty one
    ///     304                       unchanged, if the request asked by a validator
    ///     404, 410                  absent
    ///     408, 425, 429, 5xx        unavailable, with Retry-After
    ///     the rest below 500        refused
    ///     what is no status         unavailable: RFC 9110, 15, takes it for a 5xx
    ///
    /// - Complexity: O(bytes of the fields).
    package static func read(_ reply: OriginReply, to request: OriginRequest) -> LoadOutcome {
        let reader = AnswerReader(reply, to: request)
        return switch reply.status {
        case 200, 203: reader.value(reply.body)
        case 204: reader.emptyValue
        case 304: reader.unchanged
        case 404, 410: .absent(reader.facts(validator: nil))
        case 408, 425, 429: .failed(.unavailable, retryAfter: reader.retryAfter)
        case 100..<500: .failed(.refused, retryAfter: nil)
        default: .failed(.unavailable, retryAfter: reader.retryAfter)
        }
    }

    /// Bytes in a coding that cannot be kept with them could not be read by anybody.
    private func value(_ body: [UInt8]) -> LoadOutcome {
        guard hasReadableEncoding else { return .failed(.malformed, retryAfter: nil) }
        if body.count > request.valueBytesMax { return .failed(.tooLarge, retryAfter: nil) }
        var facts = facts(validator: validator)
        facts.representation = representation
        return .value(body, facts)
    }

    /// There are no bytes of which anything could be said.
    private var emptyValue: LoadOutcome { .value([], facts(validator: validator)) }

    /// What was asked by remains what to ask by: it is the stored value's, and confirmed.
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
