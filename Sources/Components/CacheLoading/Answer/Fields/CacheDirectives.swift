/// The directives of Cache-Control, all lines together.
///
/// Of a repeated directive the stricter one counts; RFC 9111, 4.2.1, leaves that to the cache. An
/// invalid number counts as zero, as recommended there. Unknown directives are skipped.
struct CacheDirectives: Equatable {
    /// `no-store`.
    private(set) var forbidsStoring = false
    /// `private`.
    private(set) var isPrivate = false
    /// `no-cache`.
    private(set) var forbidsReuse = false
    /// `must-revalidate`, `proxy-revalidate` or `s-maxage`: must not be used stale.
    private(set) var forbidsStale = false
    /// `must-understand`.
    private(set) var requiresUnderstanding = false
    /// A comma or the end of a quoted string was missing: the meaning is unknown.
    private(set) var isBroken = false
    private(set) var sharedMaxAge: Duration?
    private(set) var maxAge: Duration?
    private(set) var staleWhileRevalidate: Duration?
    private(set) var staleIfError: Duration?

    /// - Parameter kept: the names of fields of which something is stored. `no-cache` and `private`
    ///   with field names apply to those fields only; without names they apply to the answer.
    init(_ lines: [FieldText], kept: [String]) {
        for line in lines {
            var reader = DirectiveReader(line)
            while let directive = reader.next() { obey(directive, kept: kept) }
            if reader.isBroken { isBroken = true }
        }
    }

    private mutating func obey(_ directive: CacheDirective, kept: [String]) {
        let name = directive.name.bytes
        guard name.count <= AnswerLimits.directiveNameBytesMax else { return }
        switch String(decoding: name.map(\.lowercased), as: UTF8.self) {
        case "no-store": forbidsStoring = true
        case "private": if Self.isMeant(directive, kept) { isPrivate = true }
        case "no-cache": if Self.isMeant(directive, kept) { forbidsReuse = true }
        case "must-revalidate", "proxy-revalidate": forbidsStale = true
        case "must-understand": requiresUnderstanding = true
        case "max-age": Self.tighten(&maxAge, directive)
        case "s-maxage":
            Self.tighten(&sharedMaxAge, directive)
            forbidsStale = true
        case "stale-while-revalidate": Self.tighten(&staleWhileRevalidate, directive)
        case "stale-if-error": Self.tighten(&staleIfError, directive)
        default: break
        }
    }

    private static func tighten(_ duration: inout Duration?, _ directive: CacheDirective) {
        let said = directive.argument?.seconds ?? .zero
        duration = min(duration ?? said, said)
    }

    /// Whether the directive applies to stored fields: it names no fields, or one of `kept`, or
    /// nothing that could be a field.
    private static func isMeant(_ directive: CacheDirective, _ kept: [String]) -> Bool {
        guard var names = directive.argument else { return true }
        var namesAny = false
        while let name = names.takeMember(endedBy: { $0.isComma }) {
            namesAny = true
            if !name.isToken || kept.contains(where: name.isWord) { return true }
        }
        return !namesAny
    }
}
