import Testing

/// Every module has a front page, and every file something behind it.
@Suite struct FrontPageTests {
    static let frontPageLinesMin = 8

    /// Whether `file` has a type with enough documentation right above it.
    static func isFrontPage(_ file: SourceFile) -> Bool {
        file.types.contains { file.documentationLineCount(above: $0.line) >= frontPageLinesMin }
    }

    static func deadFiles(in file: SourceFile) -> [Violation] {
        if !file.tokens.isEmpty { return [] }
        return [Violation(file, line: 1, "no code in this file: write it or remove it")]
    }

    @Test(arguments: House.modules.filter { $0.value.layer > .c }.keys.sorted())
    func aModuleBeginsWithAFrontPage(module: String) {
        let files = House.sourcesByModule[module, default: []]
        let hasFrontPage = files.contains(where: Self.isFrontPage)
        #expect(
            hasFrontPage,
            """
            \(module): no front page. Above its main type write at least \
            \(Self.frontPageLinesMin) lines of ///: who calls it on which thread, what a turn \
            does, what it never does
            """)
    }

    @Test func noFileIsDead() {
        House.swiftFiles.flatMap(Self.deadFiles).report()
    }

    // MARK: The rules can fail.

    @Test func aFrontPageIsCountedRightAboveAType() {
        let page = String(repeating: "/// A line.\n", count: 8)
        let short = String(page.dropFirst(12))
        func judge(_ text: String) -> Bool {
            Self.isFrontPage(SourceFile("Sources/A/A.swift", text))
        }
        #expect(judge(page + "@frozen\npackage struct Tier {}"))
        #expect(!judge(short + "package struct Tier {}"))
        #expect(!judge(page + "\npackage struct Tier {}"))
        #expect(!judge(page + "package func tier() {}"))
        #expect(!judge("//" + page.dropFirst(3) + "struct Tier {}"))
    }

    @Test func aFileWithoutCodeIsFound() {
        #expect(Self.deadFiles(in: SourceFile("Sources/A/A.swift", "// To come.\n")).count == 1)
        #expect(Self.deadFiles(in: SourceFile("Sources/A/A.swift", "struct A {}")) == [])
    }
}
