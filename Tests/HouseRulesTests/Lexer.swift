/// Cuts Swift source into tokens and drops its comments.
///
/// The rules look at tokens rather than at text, so that a comment which explains why something
/// is forbidden does not break the rule it explains. Code inside an interpolation is code and is
/// cut like the rest. Regex literals are not known to it; write patterns as strings.
///
/// It reads bytes through a pointer: in a debug build that is many times faster than characters.
struct Lexer {
    /// How many chains the words of a file are divided into, by their hashes.
    static let chainCount = 256

    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private var offset = 0
    private var line = 1
    private var previousEnd = -1
    private var tokens: [Token] = []
    /// For each chain, the last word of it so far, or -1.
    private var chains = [Int32](repeating: -1, count: Lexer.chainCount)
    /// Brackets that are not closed yet.
    private var open: [Int] = []

    static func tokens(of source: String) -> [Token] { scan(source).tokens }

    /// The tokens of a text, and for each chain of words the index of its last one, or -1.
    static func scan(_ source: String) -> (tokens: [Token], chains: [Int32]) {
        var source = source
        return source.withUTF8 { buffer in
            guard let bytes = buffer.baseAddress else { return ([], []) }
            var lexer = Lexer(bytes: bytes, count: buffer.count)
            lexer.code(insideInterpolation: false)
            return (lexer.tokens, lexer.chains)
        }
    }

    /// The chain that a word belongs to. Other words may be in it.
    static func chain(of word: String) -> Int {
        var word = word
        return word.withUTF8 { buffer in
            buffer.baseAddress.map { chain(of: $0, count: buffer.count) } ?? 0
        }
    }

    /// FNV-1a.
    private static func chain(of bytes: UnsafePointer<UInt8>, count: Int) -> Int {
        var hash: UInt32 = 2_166_136_261
        var index = 0
        while index < count {
            hash = (hash ^ UInt32(truncatingIfNeeded: bytes[index])) &* 16_777_619
            index += 1
        }
        return Int(hash ^ (hash >> 16)) % chainCount
    }

    private init(bytes: UnsafePointer<UInt8>, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    private mutating func code(insideInterpolation: Bool) {
        var depth = 0
        while offset < count {
            let byte = bytes[offset]
            if byte == ASCII.newline {
                line += 1
                offset += 1
            } else if byte == ASCII.space || byte == ASCII.tab {
                offset += 1
            } else if Self.isWordByte(byte) {
                word()
            } else if byte == ASCII.slash && isNext(ASCII.slash) {
                skipLine()
            } else if byte == ASCII.slash && isNext(ASCII.star) {
                skipBlock()
            } else if let hashes = hashesBeforeQuote() {
                string(hashes: hashes)
            } else {
                if byte == ASCII.open { depth += 1 }
                if byte == ASCII.close { depth -= 1 }
                if insideInterpolation && depth < 0 {
                    offset += 1
                    return
                }
                mark(byte)
            }
        }
    }

    private mutating func word() {
        let start = offset
        var end = offset
        while end < count, Self.isWordByte(bytes[end]) { end += 1 }
        let chain = Self.chain(of: bytes + start, count: end - start)
        append(.word, from: start, to: end, after: chains[chain])
        chains[chain] = Int32(tokens.count - 1)
    }

    private mutating func mark(_ byte: UInt8) {
        append(.mark, from: offset, to: offset + 1, after: -1)
        switch byte {
        case ASCII.open, UInt8(ascii: "["), UInt8(ascii: "{"): open.append(tokens.count - 1)
        case ASCII.close, UInt8(ascii: "]"), UInt8(ascii: "}"):
            if let opening = open.popLast() { tokens[opening].partner = Int32(tokens.count - 1) }
        default: break
        }
    }

    /// Reads a literal whose opening quote stands behind `hashes` number signs.
    private mutating func string(hashes: Int) {
        let place = tokens.count
        append(.text, from: offset, to: offset, after: -1)
        offset += hashes
        let quotes = stands(ASCII.quote, 3, at: offset) ? 3 : 1
        offset += quotes
        var content: [UInt8] = []
        var start = offset
        while offset < count, bytes[offset] != ASCII.newline || quotes == 3 {
            if isFence(quotes: quotes, hashes: hashes) { break }
            if bytes[offset] == ASCII.backslash, stands(ASCII.hash, hashes, at: offset + 1) {
                content.append(contentsOf: part(from: start, to: offset))
                escape(hashes: hashes)
                start = offset
            } else {
                if bytes[offset] == ASCII.newline { line += 1 }
                offset += 1
            }
        }
        // An escape at the very end leads beyond it.
        let end = min(offset, count)
        if start < end { content.append(contentsOf: part(from: start, to: end)) }
        if end < count, isFence(quotes: quotes, hashes: hashes) { offset += quotes + hashes }
        tokens[place].text = String(decoding: content, as: UTF8.self)
        previousEnd = offset
    }

    private func isFence(quotes: Int, hashes: Int) -> Bool {
        bytes[offset] == ASCII.quote && stands(ASCII.quote, quotes, at: offset)
            && stands(ASCII.hash, hashes, at: offset + quotes)
    }

    /// Skips an escape, or the code of an interpolation.
    private mutating func escape(hashes: Int) {
        offset += 1 + hashes
        guard offset < count else { return }
        let byte = bytes[offset]
        offset += 1
        if byte == ASCII.open { return code(insideInterpolation: true) }
        if byte == ASCII.newline { line += 1 }
    }

    private mutating func append(
        _ kind: Token.Kind, from start: Int, to end: Int, after previous: Int32
    ) {
        let text = String(decoding: part(from: start, to: end), as: UTF8.self)
        tokens.append(
            Token(
                kind: kind, text: text, line: line, isGlued: start == previousEnd,
                previous: previous))
        offset = end
        previousEnd = end
    }

    private func part(from start: Int, to end: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + start, count: end - start)
    }

    private mutating func skipLine() {
        while offset < count, bytes[offset] != ASCII.newline { offset += 1 }
    }

    private mutating func skipBlock() {
        var depth = 0
        while offset < count {
            let byte = bytes[offset]
            if byte == ASCII.slash && isNext(ASCII.star) {
                depth += 1
                offset += 2
            } else if byte == ASCII.star && isNext(ASCII.slash) {
                depth -= 1
                offset += 2
                if depth == 0 { return }
            } else {
                if byte == ASCII.newline { line += 1 }
                offset += 1
            }
        }
    }

    private func isNext(_ byte: UInt8) -> Bool {
        offset + 1 < count && bytes[offset + 1] == byte
    }

    /// Whether a byte stands at a place and right behind it, `times` times.
    private func stands(_ byte: UInt8, _ times: Int, at place: Int) -> Bool {
        guard place + times <= count else { return false }
        var index = place
        while index < place + times {
            if bytes[index] != byte { return false }
            index += 1
        }
        return true
    }

    /// How many number signs open the literal that begins here; `nil` if none begins here.
    private func hashesBeforeQuote() -> Int? {
        var index = offset
        while index < count, bytes[index] == ASCII.hash { index += 1 }
        guard index < count, bytes[index] == ASCII.quote else { return nil }
        return index - offset
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        // Letters of both cases differ in one bit.
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte >= 0x80
            || byte == ASCII.underscore || byte == ASCII.dollar
    }
}

/// Bytes that the lexer looks for.
private enum ASCII {
    static let newline = UInt8(ascii: "\n")
    static let tab = UInt8(ascii: "\t")
    static let space = UInt8(ascii: " ")
    static let slash = UInt8(ascii: "/")
    static let star = UInt8(ascii: "*")
    static let quote = UInt8(ascii: "\"")
    static let hash = UInt8(ascii: "#")
    static let backslash = UInt8(ascii: "\\")
    static let open = UInt8(ascii: "(")
    static let close = UInt8(ascii: ")")
    static let underscore = UInt8(ascii: "_")
    static let dollar = UInt8(ascii: "$")
}
