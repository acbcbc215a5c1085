import Testing

/// Nothing below the I/O boundary does I/O: events in, actions out.
@Suite struct BoundaryTests {
    /// What is refused, and what to use in its place.
    static let banned: [(pattern: CodePattern, instead: String)] = [
        ("Foundation", "write it by hand or move it to the runtime"),
        ("Glibc", "move the call to the runtime"),
        ("Darwin", "move the call to the runtime"),
        ("Dispatch", "move the call to the runtime"),
        ("ContinuousClock", "take `now: Instant` as a parameter"),
        ("SuspendingClock", "take `now: Instant` as a parameter"),
        ("clock_gettime(", "take `now: Instant` as a parameter"),
        ("SystemRandomNumberGenerator", "take a seeded generator as a parameter"),
        ("Hasher()", "its seed differs in every process: use StableHash"),
        (".hashValue", "its seed differs in every process: use StableHash"),
        ("Task {", "answer with an action; the runtime runs tasks"),
        ("Task.", "answer with an action; the runtime runs tasks"),
        ("Task<", "answer with an action; the runtime runs tasks"),
        ("TaskGroup", "answer with an action; the runtime runs tasks"),
        ("async let", "answer with an action; the runtime runs tasks"),
        ("async", "answer with an action; the runtime waits"),
        ("await", "answer with an action; the runtime waits"),
        ("actor", "one thread owns it; a struct is enough"),
        ("AsyncStream", "answer with an action; the runtime delivers it"),
        ("Mutex", "one thread owns it; no lock is needed"),
        ("Atomic", "one thread owns it; no lock is needed"),
        ("NSLock", "one thread owns it; no lock is needed"),
        ("pthread_mutex_t", "one thread owns it; no lock is needed"),
        ("Thread", "the runtime owns the threads"),
        ("pthread_create", "the runtime owns the threads"),
        ("DispatchQueue", "the runtime owns the threads"),
        ("FileHandle", "answer with a command for the storage seam"),
        ("FileManager", "answer with a command for the storage seam"),
        ("fopen(", "answer with a command for the storage seam"),
        ("getenv(", "take the value as a parameter"),
        ("ProcessInfo", "take the value as a parameter"),
        ("CommandLine", "take the value as a parameter"),
        ("readLine(", "take the text as a parameter"),
    ]

    /// Calls that write to the terminal; as methods of ours these names are free.
    static let printing: [CodePattern] = ["print(", "debugPrint(", "dump(", "fputs(", "puts("]

    /// Calls that are random unless a generator is given to them.
    static let dice: [CodePattern] = [".random(", ".randomElement(", ".shuffled(", ".shuffle("]

    static func violations(in file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        for (pattern, instead) in banned {
            for index in file.occurrences(of: pattern) {
                found.append(
                    Violation(
                        file, line: file.tokens[index].line,
                        "\(pattern) does I/O below the boundary: \(instead)"))
            }
        }
        for pattern in printing {
            for index in file.occurrences(of: pattern) where !isMethod(at: index, in: file) {
                found.append(
                    Violation(
                        file, line: file.tokens[index].line,
                        "\(pattern)…) below the I/O boundary: count it or answer with an action"))
            }
        }
        return found + unseededDice(in: file)
    }

    private static func isMethod(at index: Int, in file: SourceFile) -> Bool {
        guard index > 0 else { return false }
        return file.tokens[index - 1].isMark(".") || file.tokens[index - 1].isWord("func")
    }

    private static func unseededDice(in file: SourceFile) -> [Violation] {
        dice.flatMap { pattern in
            file.occurrences(of: pattern).compactMap { index in
                let open = index + 2
                let arguments = file.tokens[open...file.closing(open)]
                if arguments.contains(where: { $0.isWord("using") }) { return nil }
                return Violation(
                    file, line: file.tokens[index].line,
                    "\(pattern)…) without `using:`: hand in a seeded generator")
            }
        }
    }

    @Test func nothingBelowTheBoundaryDoesIO() {
        #expect(!House.sansIO.isEmpty)
        House.sansIO.flatMap(Self.violations).report()
    }

    // MARK: The rule can fail.

    @Test(arguments: banned.map(\.pattern) + printing + dice)
    func everyBannedPatternIsFound(pattern: CodePattern) {
        let code = SourceFile("Sources/Model/CacheModel/A.swift", "let a = 1\n\(pattern)")
        #expect(Self.violations(in: code).contains { $0.line == 2 })
        let comment = SourceFile(
            "Sources/Model/CacheModel/A.swift", "// \(pattern)\n/* \(pattern) */")
        #expect(Self.violations(in: comment) == [])
        let text = SourceFile("Sources/Model/CacheModel/A.swift", "let a = \"\(pattern)\"")
        #expect(Self.violations(in: text) == [])
    }

    @Test func dicePassWithAGeneratorAndMethodsMayPrint() {
        let file = SourceFile(
            "Sources/Model/CacheModel/A.swift",
            """
            let a = Int.random(in: 0..<3, using: &generator)
            let b = page.print(a)
            struct ThreadCount {}
            """)
        #expect(Self.violations(in: file) == [])
    }

    @Test func theWorldIsFoundInsideAnInterpolation() {
        let file = SourceFile(
            "Sources/Model/CacheModel/A.swift", #"let a = "now: \(ContinuousClock.now)""#)
        #expect(Self.violations(in: file).count == 1)
    }
}
