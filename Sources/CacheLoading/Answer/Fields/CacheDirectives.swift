/// What Cache-Control says, all lines of it together.
///
/// Where a directive comes twice, the stricter one counts; RFC 9111, 4.2.1, leaves that to the
/// cache. A number that is none counts as zero, as it encourages there. Directives that are not
/// known are passed over.
struct CacheDirectives: Equatable {
    /// `no-store`.
    private(set) var forbidsStoring = false
    /// `private`.
    private(set) var isPrivate = false
    /// `no-cache`.
    private(set) var forbidsReuse = false
    /// `must-revalidate`, `proxy-revalidate` or `s-maxage`: not to be used stale.
    private(set) var forbidsStale = false
    /// `must-understand`.
    private(set) var requiresUnderstanding = false
    /// A comma was missing, or the end of a quoted string: nobody knows what was meant.
    private(set) var isBroken = false
    private(set) var sharedMaxAge: Duration?
    private(set) var maxAge: Duration?
    private(set) var staleWhileRevalidate: Duration?
    private(set) var staleIfError: Duration?

    /// - Parameter kept: the names of fields of which something is kept. `no-cache` and `private`
    ///   with names say only of those fields what they say of the answer without names.
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

    /// Whether it speaks of what is kept: it names no fields, or one of `kept`, or nothing that
    /// could be a field.
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
