import Foundation

/// One file of the repository, as the rules read it.
struct SourceFile {
    /// Where it lies, from the top of the repository: `Sources/Components/CacheWire/Request.swift`.
    let path: String
    let text: String
    let lines: [Substring]
    /// Empty unless it is a Swift file.
    let tokens: [Token]
    private let chains: [Int32]

    /// Its module: the folder below a layer in `Sources` or `Tests/Units`; of another test the one
    /// below `Tests`.
    let module: String
    let isSwift: Bool
    let isTest: Bool

    /// A file that need not exist: the self tests of the rules are written with it.
    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        lines = Self.lines(of: text)
        isSwift = path.hasSuffix(".swift")
        isTest = path.hasPrefix("Tests/")
        (tokens, chains) = isSwift ? Lexer.scan(text) : ([], [])
        let parts = path.split(separator: "/")
        let depth = path.hasPrefix("Tests/Units/") ? 3 : isTest ? 1 : 2
        module = parts.count > depth + 1 ? String(parts[depth]) : ""
    }

    /// The lines of a text without their newlines, found by bytes.
    private static func lines(of text: String) -> [Substring] {
        var text = text
        let lengths = text.withUTF8 { bytes in
            var lengths: [Int] = []
            var start = 0
            while let base = bytes.baseAddress,
                let found = memchr(base + start, 0x0A, bytes.count - start)
            {
                let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
                lengths.append(end - start)
                start = end + 1
            }
            return lengths
        }
        var lines: [Substring] = []
        var start = text.startIndex
        for length in lengths {
            let end = text.utf8.index(start, offsetBy: length)
            lines.append(text[start..<end])
            start = text.utf8.index(after: end)
        }
        lines.append(text[start...])
        return lines
    }

    /// Whether its text has `word`, found by bytes.
    func has(_ word: String) -> Bool {
        var (text, word) = (text, word)
        return text.withUTF8 { bytes in word.withUTF8 { Self.has($0, in: bytes) } }
    }

    private static func has(
        _ word: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let base = text.baseAddress, let wanted = word.baseAddress else { return false }
        let last = text.count - word.count
        var start = 0
        while start <= last, let found = memchr(base + start, Int32(wanted[0]), last + 1 - start) {
            if memcmp(found, wanted, word.count) == 0 { return true }
            start = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
        }
        return false
    }

    /// The file's name without folders and without `.swift`.
    var name: String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        return last.hasSuffix(".swift") ? String(last.dropLast(".swift".count)) : last
    }

    /// How many lines it has; a newline at its very end begins no further line.
    var lineCount: Int { lines.last?.isEmpty == true ? lines.count - 1 : lines.count }

    /// Every module it imports, with the line of the import.
    var imports: [(module: String, line: Int)] {
        let kinds: Set<String> = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
        ]
        return places(of: ["import"]).compactMap { index in
            guard index + 1 < tokens.count else { return nil }
            var next = index + 1
            if kinds.contains(tokens[next].text), next + 1 < tokens.count { next += 1 }
            return (tokens[next].text, tokens[index].line)
        }
    }

    /// The indices of the tokens that are one of these words, in order.
    func places(of words: Set<String>) -> [Int] {
        var found: [Int] = []
        for chain in Set(words.map(Lexer.chain)) where chain < chains.count {
            var index = Int(chains[chain])
            while index >= 0 {
                if words.contains(tokens[index].text) { found.append(index) }
                index = Int(tokens[index].previous)
            }
        }
        return found.sorted()
    }

    /// Where `pattern` occurs: indices of its first token, in order.
    func occurrences(of pattern: CodePattern) -> [Int] {
        guard pattern.chain < chains.count else { return [] }
        var found: [Int] = []
        var index = Int(chains[pattern.chain])
        while index >= 0 {
            let start = index - pattern.anchor
            if matches(pattern.tokens, at: start) { found.append(start) }
            index = Int(tokens[index].previous)
        }
        return found.reversed()
    }

    private func matches(_ wanted: [Token], at start: Int) -> Bool {
        guard start >= 0, start + wanted.count <= tokens.count else { return false }
        for place in 0..<wanted.count {
            let (found, wanted) = (tokens[start + place], wanted[place])
            guard found.text == wanted.text, found.kind == wanted.kind,
                place == 0 || !wanted.isGlued || found.isGlued
            else { return false }
        }
        return true
    }

    /// The index of the mark that closes the bracket at `open`, or the end if none does. Anything
    /// else than a bracket ends where it begins.
    func closing(_ open: Int) -> Int {
        guard tokens[open].isBracket else { return open }
        return tokens[open].partner < 0 ? tokens.count - 1 : Int(tokens[open].partner)
    }
}

/// A piece of Swift such as `try!` or `Task {` that a rule looks for. What is written together in
/// it must be written together.
struct CodePattern: ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
    let description: String
    let tokens: [Token]
    /// The longest of its words: the token by which it is looked for.
    let anchor: Int
    let chain: Int

    init(stringLiteral text: String) {
        let tokens = Lexer.tokens(of: text)
        let words = tokens.indices.filter { tokens[$0].kind == .word }
        let longest = words.max { tokens[$0].text.utf8.count < tokens[$1].text.utf8.count }
        guard let longest else { preconditionFailure("\(text) has no word") }
        description = text
        self.tokens = tokens
        anchor = longest
        chain = Lexer.chain(of: tokens[longest].text)
    }
}
