import Testing

/// The shape of the repository, and how its tests are written.
@Suite struct ShapeTests {
    static func strangers(among entries: [String]) -> [String] {
        entries.filter { !$0.hasPrefix(".") && !House.topLevel.contains($0) }
    }

    static let sleeping: [CodePattern] = [
        "sleep(", "usleep(", "nanosleep(", "thread_sleep(", "sleepForTimeInterval(",
    ]

    static func waiting(in file: SourceFile) -> [Violation] {
        sleeping.flatMap { pattern in
            file.occurrences(of: pattern).map {
                Violation(
                    file, line: file.tokens[$0].line,
                    "\(pattern)…) in a test: wait for what is to happen, with a deadline")
            }
        }
    }

    /// Tests that are switched off without a reason, or by turning them into a comment.
    static func switchedOff(in file: SourceFile) -> [Violation] {
        let bare = file.occurrences(of: ".disabled(").filter { index in
            let open = index + 2
            return !file.tokens[open...file.closing(open)].contains {
                $0.kind == .text && !$0.text.isEmpty
            }
        }.map {
            Violation(
                file, line: file.tokens[$0].line,
                ".disabled without a reason: say why, the runner prints it")
        }
        return bare + testsInComments(in: file)
    }

    private static func testsInComments(in file: SourceFile) -> [Violation] {
        file.lines.indices.filter { isTestInComment(file.lines[$0].utf8) }.map {
            Violation(file, line: $0 + 1, "a test in a comment: delete it or disable it")
        }
    }

    private static func isTestInComment(_ line: Substring.UTF8View) -> Bool {
        // Before anything else, as nearly all lines end here.
        guard let first = line.first(where: { $0 != UInt8(ascii: " ") }),
            first == UInt8(ascii: "/")
        else { return false }
        let text = Substring(line).drop { $0 == " " }
        return text.hasPrefix("//") && text.dropFirst(2).drop { $0 == " " }.hasPrefix("@Test")
    }

    @Test func nothingElseStandsAtTheTop() {
        let strangers = Self.strangers(among: House.entries(of: ""))
        #expect(strangers.isEmpty, "move these into Sources, Tests, deploy or docs")
    }

    @Test func noTestSleepsForLuck() {
        House.tests.flatMap(Self.waiting).report()
    }

    @Test func noTestIsSwitchedOffInSilence() {
        House.tests.flatMap(Self.switchedOff).report()
    }

    // MARK: The rules can fail.

    @Test func aStrangerAtTheTopIsFound() {
        let entries = ["Package.swift", ".ci", "notes.txt", "Sources", "scripts"]
        #expect(Self.strangers(among: entries) == ["notes.txt", "scripts"])
    }

    @Test func aSleepIsFound() {
        let text = "try await Task.sleep(for: .seconds(1))\n// sleep(1)\nusleep(3)"
        let found = Self.waiting(in: SourceFile("Tests/ATests/A.swift", text))
        #expect(found.map(\.line).sorted() == [1, 3])
    }

    @Test func aSilentTestIsFound() {
        let text = """
            @Test(.disabled()) func a() {}
            @Test(.disabled("no engine here")) func b() {}
            @Test(.disabled(if: isRoot)) func c() {}
            """
        let comment = "\n//" + " @Test func d() {}"
        let found = Self.switchedOff(in: SourceFile("Tests/ATests/A.swift", text + comment))
        #expect(found.map(\.line).sorted() == [1, 3, 4])
    }
}
