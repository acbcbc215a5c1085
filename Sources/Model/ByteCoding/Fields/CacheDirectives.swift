/// The directives of Cache-Control, all lines together (RFC 9111, 5.2). Unknown directives are
/// skipped.
package struct CacheDirectives: Equatable {
    /// From which side they come. A cache has to make something of every answer, and the safe thing
    /// of a wrong one; a client can be told what is wrong with its request.
    ///
    /// |                              | answer of an origin | request, or value that is put |
    /// |------------------------------|---------------------|-------------------------------|
    /// | a comma in a quoted string   | is part of it       | separates directives          |
    /// | spaces around `=`            | break the line      | do not count                  |
    /// | a repeated directive         | the stricter counts | the last one counts           |
    /// | a number that is none        | counts as zero      | is ``unreadable``             |
    /// | greatest number of seconds   | 2^31                | 2^40                          |
    ///
    /// RFC 9111, 4.2.1, leaves repetitions to the cache, and recommends zero. The first two rows
    /// are looser than its grammar for a request.
    package enum Side: Sendable {
        case answer, request

        var secondsMax: Int64 { self == .answer ? CacheDirectives.secondsMax : 1 << 40 }
    }

    /// How stale a value may be that a request takes.
    package enum Staleness: Hashable, Sendable {
        case any
        case upTo(Duration)
    }

    /// Greatest number of seconds of an answer, read and written, about 68 years: RFC 9111, 1.2.2,
    /// names it for values that are too large.
    package static let secondsMax: Int64 = 1 << 31
    /// Bytes in the name of a directive that is looked up. A longer name matches no directive.
    private static let nameBytesMax = 32

    /// `no-store`.
    package private(set) var forbidsStoring = false
    /// `private`.
    package private(set) var isPrivate = false
    /// `no-cache`.
    package private(set) var forbidsReuse = false
    /// `must-revalidate`, `proxy-revalidate` or `s-maxage`: must not be used stale.
    package private(set) var forbidsStale = false
    /// `must-understand`.
    package private(set) var requiresUnderstanding = false
    /// `only-if-cached`.
    package private(set) var isOnlyIfCached = false
    /// A comma or the end of a quoted string was missing: the meaning is unknown.
    package private(set) var isBroken = false
    /// Of a request: the first directive that should have whole seconds after `=`, and has not.
    package private(set) var unreadable: String?
    package private(set) var sharedMaxAge: Duration?
    package private(set) var maxAge: Duration?
    package private(set) var maxStale: Staleness?
    package private(set) var staleWhileRevalidate: Duration?
    package private(set) var staleIfError: Duration?

    private let side: Side

    /// Those of an answer.
    ///
    /// - Parameter kept: the names of fields of which something is stored. `no-cache` and `private`
    ///   with field names apply to those fields only; without names they apply to the answer.
    package init(answer lines: [FieldText], kept: [String]) {
        side = .answer
        for line in lines {
            var reader = DirectiveReader(line, of: side)
            while let directive = reader.next() {
                obey(directive) { Self.isMeant($0, kept) }
            }
            if reader.isBroken { isBroken = true }
        }
    }

    /// Those of a request, or of a value that is put. `no-cache` and `private` apply to all of it.
    ///
    /// - Parameter text: all lines, with commas between them.
    package init(request text: String) {
        side = .request
        var reader = DirectiveReader(FieldText(exactly: Array(text.utf8)[...]), of: side)
        while let directive = reader.next() {
            obey(directive) { _ in true }
        }
    }

    private mutating func obey(
        _ directive: CacheDirective, where isMeant: (CacheDirective) -> Bool
    ) {
        let bytes = directive.name.bytes
        guard bytes.count <= Self.nameBytesMax else { return }
        let name = String(decoding: bytes.map(\.lowercased), as: UTF8.self)
        switch name {
        case "no-store": forbidsStoring = true
        case "private": if isMeant(directive) { isPrivate = true }
        case "no-cache": if isMeant(directive) { forbidsReuse = true }
        case "must-revalidate", "proxy-revalidate": forbidsStale = true
        case "must-understand": requiresUnderstanding = true
        case "only-if-cached": isOnlyIfCached = true
        case "max-age": maxAge = merged(maxAge, directive, name)
        case "s-maxage":
            sharedMaxAge = merged(sharedMaxAge, directive, name)
            forbidsStale = true
        case "max-stale":
            maxStale = directive.argument == nil ? .any : .upTo(seconds(of: directive, name))
        case "stale-while-revalidate" where side == .answer:
            staleWhileRevalidate = merged(staleWhileRevalidate, directive, name)
        case "stale-if-error" where side == .answer:
            staleIfError = merged(staleIfError, directive, name)
        default: break
        }
    }

    private mutating func merged(
        _ earlier: Duration?, _ directive: CacheDirective, _ name: String
    ) -> Duration {
        let said = seconds(of: directive, name)
        return side == .answer ? min(earlier ?? said, said) : said
    }

    private mutating func seconds(of directive: CacheDirective, _ name: String) -> Duration {
        if let seconds = directive.argument?.seconds(upTo: side.secondsMax) { return seconds }
        if side == .request, unreadable == nil { unreadable = name }
        return .zero
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
