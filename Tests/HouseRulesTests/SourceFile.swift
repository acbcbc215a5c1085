import Foundation

/// One file of the repository, as the rules read it.
struct SourceFile {
    /// Where it lies, from the top of the repository: `Sources/CacheWire/Request.swift`.
    let path: String
    let text: String
    let lines: [Substring]
    /// Empty unless it is a Swift file.
    let tokens: [Token]

    /// A file that need not exist: the self tests of the rules are written with it.
    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        tokens = path.hasSuffix(".swift") ? Lexer.tokens(of: text) : []
    }

    /// The file's name without folders and without `.swift`.
    var name: String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        return last.hasSuffix(".swift") ? String(last.dropLast(".swift".count)) : last
    }

    /// The folder below `Sources` or `Tests` it belongs to: its module.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isTest: Bool { path.hasPrefix("Tests/") }

    /// How many lines it has; a newline at its very end begins no further line.
    var lineCount: Int { lines.last?.isEmpty == true ? lines.count - 1 : lines.count }

    /// Every module it imports, with the line of the import.
    var imports: [(module: String, line: Int)] {
        let kinds: Set<String> = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
        ]
        return tokens.indices.compactMap { index in
            guard tokens[index].isWord("import"), index + 1 < tokens.count else { return nil }
            var next = index + 1
            if kinds.contains(tokens[next].text), next + 1 < tokens.count { next += 1 }
            return (tokens[next].text, tokens[index].line)
        }
    }

    /// Where `pattern` – a piece of Swift such as `try!` or `Task {` – occurs: indices of its
    /// first token. What is written together in the pattern must be written together.
    func occurrences(of pattern: String) -> [Int] {
        let wanted = Lexer.tokens(of: pattern)
        guard !wanted.isEmpty, tokens.count >= wanted.count else { return [] }
        return (0...(tokens.count - wanted.count)).filter { start in
            wanted.indices.allSatisfy { place in
                let found = tokens[start + place]
                return found.kind == wanted[place].kind && found.text == wanted[place].text
                    && (place == 0 || !wanted[place].isGlued || found.isGlued)
            }
        }
    }

    /// The index of the mark that closes the bracket at `open`, or the end if none does.
    func closing(_ open: Int) -> Int {
        var depth = 0
        for index in open..<tokens.count where tokens[index].kind == .mark {
            switch tokens[index].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            default: break
            }
            if depth == 0 { return index }
        }
        return tokens.count - 1
    }
}
