import Testing

/// A bug that is planted for a test can be in no release.
@Suite struct PlantedBugTests {
    /// What only checked builds may name in a line of code.
    static let words = ["MARTLET_PLANTED_BUG", "PlantedBug(", "ignoredMultiple"]

    /// Lines of code that name one of them where a release would be built from them, too.
    static func exposed(in file: SourceFile) -> [Violation] {
        // Most files have none: looking for them among their bytes is much quicker.
        if !words.contains(where: file.has) { return [] }
        var branches: [Bool] = []
        var found: [Violation] = []
        for (index, line) in file.lines.enumerated() {
            let code = line.trimmingPrefix { $0 == " " }
            if code.hasPrefix("#if ") {
                branches.append(code == "#if CACHE_CHECKED")
            } else if code.hasPrefix("#else") || code.hasPrefix("#elseif") {
                branches[branches.count - 1] = false
            } else if code.hasPrefix("#endif") {
                branches.removeLast()
            } else if !code.hasPrefix("//"), !branches.contains(true) {
                // The one that is none may be made anywhere.
                let isNone = code.contains("= PlantedBug()")
                if !isNone, words.contains(where: code.contains) {
                    found.append(
                        Violation(
                            file, line: index + 1, "put it between #if CACHE_CHECKED and #endif"))
                }
            }
        }
        return found
    }

    @Test func onlyCheckedBuildsCanPlantABug() {
        House.sources.flatMap(Self.exposed).report()
    }

    /// Both conditions that let tests change what a node does are set for debug builds alone,
    /// unless MARTLET_CHECKED is set (decision 77).
    @Test func noReleaseIsACheckedBuild() {
        let defines = House.manifest.lines.filter { $0.contains(".define(") }
        #expect(defines.count == 2)
        #expect(defines.allSatisfy { $0.hasSuffix(", checked),") })
        let condition = """
            let checked: BuildSettingCondition? =
                Context.environment["MARTLET_CHECKED"] == nil ? .when(configuration: .debug) : nil
            """
        #expect(House.manifest.text.contains(condition))
    }

    /// The script that builds what is shipped forgets the variable, and the image is built by it.
    @Test func noReleaseIsBuiltAsAChecked() {
        #expect(House.contents(of: "deploy/build").contains("\nunset MARTLET_CHECKED"))
        let image = House.contents(of: "Dockerfile")
        #expect(image.contains("RUN deploy/build --output"))
        #expect(!image.contains("swift build") && !image.contains("MARTLET_CHECKED"))
    }

    @Test func thisRuleFindsWhatItIsFor() {
        let text = """
            #if CACHE_CHECKED
                let a = PlantedBug("x", of: node)
            #else
                let b = PlantedBug("x", of: node)
            #endif
            // MARTLET_PLANTED_BUG in a comment
            let c = environment["MARTLET_PLANTED_BUG"]
            package static let none = PlantedBug()
            """
        let found = Self.exposed(in: SourceFile("Sources/A/A.swift", text))
        #expect(found.map(\.line) == [4, 7])
    }
}
