import Testing

/// Nothing below the waterline touches the world: events come in, actions go out.
@Suite struct WaterlineTests {
    /// What is refused, and what to use in its place.
    static let banned: [(pattern: CodePattern, instead: String)] = [
        ("Foundation", "write it by hand or move it to a shell"),
        ("Glibc", "move the call to a shell"),
        ("Darwin", "move the call to a shell"),
        ("Dispatch", "move the call to a shell"),
        ("ContinuousClock", "take `now: Instant` as a parameter"),
        ("SuspendingClock", "take `now: Instant` as a parameter"),
        ("clock_gettime(", "take `now: Instant` as a parameter"),
        ("SystemRandomNumberGenerator", "take a seeded generator as a parameter"),
        ("Hasher()", "its seed differs in every process: use StableHash"),
        (".hashValue", "its seed differs in every process: use StableHash"),
        ("Task {", "answer with an action; a shell runs tasks"),
        ("Task.", "answer with an action; a shell runs tasks"),
        ("Task<", "answer with an action; a shell runs tasks"),
        ("TaskGroup", "answer with an action; a shell runs tasks"),
        ("async let", "answer with an action; a shell runs tasks"),
        ("async", "answer with an action; a shell waits"),
        ("await", "answer with an action; a shell waits"),
        ("actor", "one thread owns it; a struct is enough"),
        ("AsyncStream", "answer with an action; a shell delivers it"),
        ("Mutex", "one thread owns it; no lock is needed"),
        ("Atomic", "one thread owns it; no lock is needed"),
        ("NSLock", "one thread owns it; no lock is needed"),
        ("pthread_mutex_t", "one thread owns it; no lock is needed"),
        ("Thread", "a shell owns the threads"),
        ("pthread_create", "a shell owns the threads"),
        ("DispatchQueue", "a shell owns the threads"),
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

    /// Calls that throw dice unless a generator is handed to them.
    static let dice: [CodePattern] = [".random(", ".randomElement(", ".shuffled(", ".shuffle("]

    static func violations(in file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        for (pattern, instead) in banned {
            for index in file.occurrences(of: pattern) {
                found.append(
                    Violation(
                        file, line: file.tokens[index].line,
                        "\(pattern) touches the world below the waterline: \(instead)"))
            }
        }
        for pattern in printing {
            for index in file.occurrences(of: pattern) where !isMethod(at: index, in: file) {
                found.append(
                    Violation(
                        file, line: file.tokens[index].line,
                        "\(pattern)…) below the waterline: count it or answer with an action"))
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

    @Test func nothingBelowTheWaterlineTouchesTheWorld() {
        #expect(!House.belowTheWaterline.isEmpty)
        House.belowTheWaterline.flatMap(Self.violations).report()
    }

    // MARK: The rule can fail.

    @Test(arguments: banned.map(\.pattern) + printing + dice)
    func everyBannedPatternIsFound(pattern: CodePattern) {
        let code = SourceFile("Sources/CacheModel/A.swift", "let a = 1\n\(pattern)")
        #expect(Self.violations(in: code).contains { $0.line == 2 })
        let comment = SourceFile("Sources/CacheModel/A.swift", "// \(pattern)\n/* \(pattern) */")
        #expect(Self.violations(in: comment) == [])
        let text = SourceFile("Sources/CacheModel/A.swift", "let a = \"\(pattern)\"")
        #expect(Self.violations(in: text) == [])
    }

    @Test func dicePassWithAGeneratorAndMethodsMayPrint() {
        let file = SourceFile(
            "Sources/CacheModel/A.swift",
            """
            let a = Int.random(in: 0..<3, using: &generator)
            let b = page.print(a)
            struct ThreadCount {}
            """)
        #expect(Self.violations(in: file) == [])
    }

    @Test func theWorldIsFoundInsideAnInterpolation() {
        let file = SourceFile(
            "Sources/CacheModel/A.swift", #"let a = "now: \(ContinuousClock.now)""#)
        #expect(Self.violations(in: file).count == 1)
    }
}
