/// One directive of Cache-Control, not interpreted.
struct CacheDirective: Equatable {
    var name: FieldText
    /// The text after `=`, without the quotes; `nil`: no `=`.
    var argument: FieldText?
}

/// Reads the directives of one line of Cache-Control, left to right.
///
/// Of an answer, a directive is a name, or a name, `=`, and a word or a quoted string, with nothing
/// between them; commas separate directives. If a comma is missing, or a quoted string has no end,
/// the line ``isBroken``, and reading continues with the next word, or right after the first quote:
/// an error in one directive must not hide a `no-store` after it. Text that is not a directive is
/// returned as one; the caller decides whether it knows the name.
///
/// Of a request, a directive is what stands between two commas, also where they stand in a quoted
/// string; spaces around it and around its `=` do not count, and no line is broken.
///
/// A line is read in O(bytes): at most one string in it has no end, because after its first quote
/// no other string could begin without ending it.
struct DirectiveReader {
    private let side: CacheDirectives.Side
    private var rest: ArraySlice<UInt8>
    /// Whether a comma or the end of a quoted string was missing so far.
    private(set) var isBroken = false

    init(_ line: FieldText, of side: CacheDirectives.Side) {
        self.side = side
        rest = line.bytes
    }

    mutating func next() -> CacheDirective? {
        switch side {
        case .answer: nextOfAnswer()
        case .request: nextOfRequest()
        }
    }

    private mutating func nextOfRequest() -> CacheDirective? {
        var text = FieldText(exactly: rest)
        let member = text.takeMember { $0.isComma }
        rest = text.bytes
        guard let bytes = member?.bytes else { return nil }
        let name = bytes.prefix { $0 != UInt8(ascii: "=") }
        let hasArgument = name.count < bytes.count
        return CacheDirective(
            name: FieldText(trimming: name),
            argument: hasArgument
                ? Self.unquoted(FieldText(trimming: bytes[(name.endIndex + 1)...])) : nil)
    }

    /// What stands between two quotes, if they are at both ends.
    private static func unquoted(_ text: FieldText) -> FieldText {
        guard text.bytes.count >= 2, text.bytes.first == .quote, text.bytes.last == .quote else {
            return text
        }
        return FieldText(exactly: text.bytes.dropFirst().dropLast())
    }

    private mutating func nextOfAnswer() -> CacheDirective? {
        skip { Self.isSeparator($0) }
        guard !rest.isEmpty else { return nil }
        let start = rest.startIndex
        let whole = rest
        skip { !Self.isSeparator($0) && $0 != UInt8(ascii: "=") }
        let name = whole[start..<rest.startIndex]
        let argument = takeArgument()
        skip { $0.isFieldSpace }
        if let next = rest.first, !next.isComma { isBroken = true }
        return CacheDirective(name: FieldText(exactly: name), argument: argument)
    }

    private mutating func takeArgument() -> FieldText? {
        guard rest.first == UInt8(ascii: "=") else { return nil }
        rest = rest.dropFirst()
        return rest.first == .quote ? takeQuoted() : takeWord()
    }

    /// Advances to the first byte that `isMeant` does not accept.
    private mutating func skip(while isMeant: (UInt8) -> Bool) {
        var place = rest.startIndex
        while place < rest.endIndex, isMeant(rest[place]) { place += 1 }
        rest = rest[place...]
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte.isComma || byte.isFieldSpace }

    private mutating func takeWord() -> FieldText {
        let whole = rest
        skip { !Self.isSeparator($0) }
        return FieldText(exactly: whole[whole.startIndex..<rest.startIndex])
    }

    /// The string that begins with the next quote; empty if it has no end.
    private mutating func takeQuoted() -> FieldText {
        var text: [UInt8] = []
        var place = rest.startIndex + 1
        while place < rest.endIndex, rest[place] != .quote {
            if rest[place] == .backslash, place + 1 < rest.endIndex { place += 1 }
            text.append(rest[place])
            place += 1
        }
        guard place < rest.endIndex else {
            isBroken = true
            rest = rest.dropFirst()
            return FieldText(exactly: [])
        }
        rest = rest[(place + 1)...]
        return FieldText(exactly: text[...])
    }
}
