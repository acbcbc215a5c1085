import Testing

/// The ordinary logs name no key, tag, prefix or value, and no URL or header of an origin: who may
/// read a log may not therefore know what is cached. docs/decisions/0056.
@Suite struct LogNamesTests {
    private static let levels: Set<String> = [
        "trace", "debug", "info", "notice", "warning", "error", "critical", "log",
    ]

    /// What may not be interpolated, as a word of its own; what it is about may be counted.
    static let secrets: Set<String> = [
        "key", "keys", "tag", "tags", "prefix", "value", "values", "scope", "scopes", "url",
        "header", "headers", "secret", "secretKey", "request", "record", "entry",
    ]
    /// What may be said of such a thing.
    static let harmless: Set<String> = ["count", "fingerprint", "domain", "address", "rawValue"]

    /// Where a logger is called: the lines from its beginning to its closing bracket.
    static func calls(in file: SourceFile) -> [(line: Int, text: String)] {
        file.places(of: levels).compactMap { index in
            let tokens = file.tokens
            guard index >= 2, index + 1 < tokens.count,
                tokens[index - 1].isMark("."),
                tokens[index - 2].text.lowercased().hasSuffix("logger")
                    || tokens[index - 2].isMark("?"),
                tokens[index + 1].isMark("(")
            else { return nil }
            let end = tokens[file.closing(index + 1)].line
            let lines = file.lines[(tokens[index].line - 1)..<end]
            return (tokens[index].line, lines.joined(separator: "\n"))
        }
    }

    /// What stands between `\(` and its bracket.
    static func interpolations(in text: String) -> [String] {
        text.components(between: #"\("#)
    }

    static func names(in file: SourceFile) -> [Violation] {
        calls(in: file).flatMap { call in
            interpolations(in: call.text).compactMap { piece -> Violation? in
                let words = piece.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                    .map(String.init)
                guard let secret = words.first(where: secrets.contains),
                    words.allSatisfy({ !harmless.contains($0) })
                else { return nil }
                return Violation(
                    file, line: call.line,
                    "\(secret) in a line of the log: say how many, or where, and not which")
            }
        }
    }

    @Test func noLineOfALogNamesWhatIsCached() {
        House.sources.flatMap(Self.names).report()
    }

    @Test func thereAreCallsToLookAt() {
        #expect(House.sources.flatMap(Self.calls).count > 60)
    }

    // MARK: The rules can fail.

    @Test(arguments: [
        #"logger.info("stored \(key)")"#,
        #"setup.logger.error("no", metadata: ["k": "\(entry.key)"])"#,
        "logger.warning(\n    \"\"\"\n    at \\(origin.url)\n    \"\"\")",
        #"around.logger.notice("\(String(decoding: tag.bytes, as: UTF8.self)) is gone")"#,
    ])
    func aNameInALogIsFound(text: String) {
        #expect(Self.names(in: SourceFile("Sources/A/A.swift", text)).map(\.line) == [1])
    }

    @Test(arguments: [
        #"logger.info("\(keys.count) keys")"#, #"logger.info("key \(key.fingerprint)")"#,
        #"say("stored \(key)")"#, #"logger.info("the key of \(node)")"#,
    ])
    func whatNamesNothingPasses(text: String) {
        #expect(Self.names(in: SourceFile("Sources/A/A.swift", text)) == [])
    }
}

extension String {
    /// Each part that begins after `opening` and ends before the bracket that closes it.
    fileprivate func components(between opening: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let start = rest.firstRange(of: opening) {
            var depth = 1
            let after = rest[start.upperBound...]
            let end = after.firstIndex { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth == 0
            }
            parts.append(String(after[..<(end ?? after.endIndex)]))
            rest = after
        }
        return parts
    }
}
