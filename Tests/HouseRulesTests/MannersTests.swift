import Testing

/// What is refused in every layer.
@Suite struct MannersTests {
    /// Refused everywhere, and what to write in its place.
    static let everywhere: [(pattern: CodePattern, instead: String)] = [
        ("try!", "handle the error, or throw it on"),
        ("as!", "ask with `as?` and handle the other case, or keep the type"),
        ("import XCTest", "use Swift Testing"),
    ]

    /// Refused outside tests.
    static let inSources: [(pattern: CodePattern, instead: String)] = [
        ("try?", "catch the error and say what it means here"),
        ("fatalError(", "use `precondition` with a sentence, or throw"),
    ]

    /// What needs its reason written beside it, and a word the reason has to name.
    static let unchecked: [CodePattern] = ["@unchecked Sendable", "nonisolated(unsafe)"]

    static func bannedCode(in file: SourceFile) -> [Violation] {
        let patterns = everywhere + (file.isTest ? [] : inSources)
        return patterns.flatMap { pattern, instead in
            file.occurrences(of: pattern).map {
                Violation(file, line: file.tokens[$0].line, "\(pattern) is refused: \(instead)")
            }
        }
    }

    /// `@unchecked Sendable` whose comment does not say why more than one thread may hold it.
    static func unexplained(in file: SourceFile) -> [Violation] {
        unchecked.flatMap { pattern in
            file.occurrences(of: pattern).compactMap { index in
                let line = file.tokens[index].line
                let comment = file.comment(at: line).lowercased()
                if ["sendable", "thread", "unchecked"].contains(where: comment.contains) {
                    return nil
                }
                return Violation(
                    file, line: line,
                    "\(pattern) without its reason: say in a comment on this line or right above "
                        + "the declaration why it is safe on more than one thread")
            }
        }
    }

    /// Notes that must not stay: the marker for broken code, and tasks that nobody owns.
    static func openNotes(in file: SourceFile) -> [Violation] {
        // Put together from parts, so that this file does not find itself.
        let broken = "FIX" + "ME"
        let task = "TO" + "DO"
        // Most files have neither: looking for it among their bytes is much quicker.
        if !file.has(broken) && !file.has(task) { return [] }
        return file.lines.enumerated().flatMap { index, line -> [Violation] in
            var found: [Violation] = []
            if line.contains(broken) {
                found.append(
                    Violation(file, line: index + 1, "\(broken): mend it before it is merged"))
            }
            if line.contains(task) && !line.contains(task + "(") {
                let remedy = "\(task) without an owner: write \(task)(name) or \(task)(#issue)"
                found.append(Violation(file, line: index + 1, remedy))
            }
            return found
        }
    }

    /// Build settings that delete promises or hide what the package needs.
    static func bannedSettings(in manifest: SourceFile) -> [Violation] {
        manifest.tokens.filter { $0.text.contains("-Ounchecked") || $0.text == "unsafeFlags" }.map {
            Violation(manifest, line: $0.line, "\($0.text) is refused: keep the default optimiser")
        }
    }

    @Test func noCodeHidesAnError() {
        House.swiftFiles.flatMap(Self.bannedCode).report()
    }

    @Test func whatIsUncheckedSaysWhy() {
        House.swiftFiles.flatMap(Self.unexplained).report()
    }

    @Test func noNoteIsLeftOpen() {
        (House.files + [House.manifest]).flatMap(Self.openNotes).report()
    }

    @Test func theManifestKeepsThePromises() {
        #expect(!House.manifest.tokens.isEmpty)
        Self.bannedSettings(in: House.manifest).report()
    }

    // MARK: The rules can fail.

    @Test(arguments: everywhere.map(\.pattern))
    func whatIsRefusedEverywhereIsFound(pattern: CodePattern) {
        for path in ["Sources/A/A.swift", "Tests/ATests/A.swift"] {
            #expect(Self.bannedCode(in: SourceFile(path, "\n\(pattern) x")).map(\.line) == [2])
            #expect(Self.bannedCode(in: SourceFile(path, "// \(pattern) x")) == [])
        }
    }

    @Test(arguments: inSources.map(\.pattern))
    func whatIsRefusedInSourcesIsFoundThereOnly(pattern: CodePattern) {
        #expect(Self.bannedCode(in: SourceFile("Sources/A/A.swift", "\(pattern) x")).count == 1)
        #expect(Self.bannedCode(in: SourceFile("Tests/ATests/A.swift", "\(pattern) x")) == [])
    }

    @Test func aNegatedConditionAfterTryIsNotForced() {
        #expect(Self.bannedCode(in: SourceFile("Sources/A/A.swift", "return try !isFull()")) == [])
    }

    @Test(arguments: unchecked)
    func anUncheckedPromiseNeedsItsReason(pattern: CodePattern) {
        let bare = "/// A mailbox.\nfinal class Mailbox: \(pattern) {}"
        let above = "/// A mailbox.\n// Any thread may hold it: the lock guards it.\n"
        let beside = "final class Mailbox: \(pattern) {}  // Sendable: immutable."
        #expect(Self.unexplained(in: SourceFile("Sources/A/A.swift", bare)).map(\.line) == [2])
        #expect(
            Self.unexplained(in: SourceFile("Sources/A/A.swift", above + "@frozen\n" + beside))
                == [])
        #expect(Self.unexplained(in: SourceFile("Sources/A/A.swift", beside)) == [])
    }

    @Test func anOpenNoteIsFound() {
        let broken = "// FIX" + "ME: wrong"
        let task = "// TO" + "DO"
        let file = SourceFile("deploy/x.sh", "\(broken)\n\(task): later\n\(task)(#7): later")
        #expect(Self.openNotes(in: file).map(\.line) == [1, 2])
    }

    @Test func aFlagThatDeletesPromisesIsFound() {
        let text = "a\nswiftSettings: [.unsafeFlags([\"-Ounchecked\"])]"
        #expect(Self.bannedSettings(in: SourceFile("Package.swift", text)).map(\.line) == [2, 2])
    }
}
