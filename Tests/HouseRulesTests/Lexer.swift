/// Cuts Swift source into tokens and drops its comments.
///
/// The rules look at tokens rather than at text, so that a comment which explains why something
/// is forbidden does not break the rule it explains. Code inside an interpolation is code and is
/// cut like the rest. Regex literals are not known to it; write patterns as strings.
struct Lexer {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var previousEnd = -1
    private var tokens: [Token] = []

    static func tokens(of source: String) -> [Token] {
        var lexer = Lexer(source)
        lexer.code(insideInterpolation: false)
        return lexer.tokens
    }

    private init(_ source: String) {
        bytes = Array(source.utf8)
    }

    private mutating func code(insideInterpolation: Bool) {
        var depth = 0
        while let byte = peek() {
            if byte == UInt8(ascii: "\n") {
                line += 1
                offset += 1
            } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
                offset += 1
            } else if starts("//") {
                skipLine()
            } else if starts("/*") {
                skipBlock()
            } else if let hashes = hashesBeforeQuote() {
                string(hashes: hashes)
            } else if Self.isWordByte(byte) {
                word()
            } else {
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") {
                    depth -= 1
                    if insideInterpolation && depth < 0 {
                        offset += 1
                        return
                    }
                }
                append(.mark, from: offset, to: offset + 1)
            }
        }
    }

    private mutating func word() {
        let start = offset
        var end = offset
        while end < bytes.count, Self.isWordByte(bytes[end]) { end += 1 }
        append(.word, from: start, to: end)
    }

    /// Reads a literal whose opening quote stands behind `hashes` number signs.
    private mutating func string(hashes: Int) {
        let place = tokens.count
        append(.text, from: offset, to: offset)
        offset += hashes
        let fence = Array(repeating: UInt8(ascii: "#"), count: hashes)
        let isMultiline = starts("\"\"\"")
        let quotes = Array(repeating: UInt8(ascii: "\""), count: isMultiline ? 3 : 1)
        offset += quotes.count
        var content: [UInt8] = []
        while let byte = peek() {
            if starts(quotes + fence) {
                offset += quotes.count + hashes
                break
            }
            if byte == UInt8(ascii: "\n") {
                if !isMultiline { break }
                line += 1
            }
            if starts([UInt8(ascii: "\\")] + fence) {
                offset += 1 + hashes
                if peek() == UInt8(ascii: "(") {
                    offset += 1
                    code(insideInterpolation: true)
                    continue
                }
                if peek() == UInt8(ascii: "\n") { line += 1 }
                offset += 1
                continue
            }
            content.append(byte)
            offset += 1
        }
        tokens[place].text = String(decoding: content, as: UTF8.self)
        previousEnd = offset
    }

    private mutating func append(_ kind: Token.Kind, from start: Int, to end: Int) {
        tokens.append(
            Token(
                kind: kind, text: String(decoding: bytes[start..<end], as: UTF8.self), line: line,
                isGlued: start == previousEnd))
        offset = end
        previousEnd = end
    }

    private mutating func skipLine() {
        while let byte = peek(), byte != UInt8(ascii: "\n") { offset += 1 }
    }

    private mutating func skipBlock() {
        var depth = 0
        while let byte = peek() {
            if starts("/*") {
                depth += 1
                offset += 2
            } else if starts("*/") {
                depth -= 1
                offset += 2
                if depth == 0 { return }
            } else {
                if byte == UInt8(ascii: "\n") { line += 1 }
                offset += 1
            }
        }
    }

    private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func starts(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { starts($0) }
    }

    private func starts(_ prefix: some Collection<UInt8>) -> Bool {
        guard offset + prefix.count <= bytes.count else { return false }
        var index = offset
        for byte in prefix {
            if bytes[index] != byte { return false }
            index += 1
        }
        return true
    }

    /// How many number signs open the literal that begins here; `nil` if none begins here.
    private func hashesBeforeQuote() -> Int? {
        var index = offset
        while index < bytes.count, bytes[index] == UInt8(ascii: "#") { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        return index - offset
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            0x80...0xff:
            true
        default: false
        }
    }
}
