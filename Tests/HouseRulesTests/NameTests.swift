import Testing

/// Names of files, folders and modules.
@Suite struct NameTests {
    /// What says nothing about what is inside: refused as a name and as its last word.
    static let empty: Set<String> = [
        "Util", "Utils", "Utilities", "Helper", "Helpers", "Common", "Extension", "Extensions",
        "Types", "New", "Misc", "Deprecated", "Obsolete",
    ]

    static func badNames(in file: SourceFile) -> [Violation] {
        let folders = file.path.split(separator: "/").dropLast().map(String.init)
        let parts = file.name.split(separator: "+").map(String.init)
        let spoken = folders + parts.map { part in words(of: part).last ?? part }
        let nothing = spoken.filter { empty.contains($0) }.map {
            "\($0) names nothing: name the type or the aspect that the file holds"
        }
        let aspects = parts.dropFirst().filter { $0.first?.isUppercase != true }.map {
            "aspect \($0): an aspect is a noun with a capital (Type+Aspect.swift)"
        }
        return (nothing + aspects).map { Violation(file, line: 1, $0) }
    }

    /// Types that bear the name of a module: nobody outside could qualify a name with it.
    static func typesNamedAsModules(in file: SourceFile) -> [Violation] {
        file.types.filter { House.modules[$0.name] != nil }.map {
            Violation(
                file, line: $0.line,
                "\($0.name) is the name of a module: give the type a name of its own")
        }
    }

    /// Words in camel case: `NodeHelpers` is `Node`, `Helpers`.
    private static func words(of name: String) -> [String] {
        name.reduce(into: [String]()) { words, character in
            if character.isUppercase || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
    }

    @Test func everyFileNameSaysWhatIsInside() {
        House.files.filter(\.isSwift).flatMap(Self.badNames).report()
    }

    @Test func noTypeBearsTheNameOfAModule() {
        House.sources.flatMap(Self.typesNamedAsModules).report()
    }

    // MARK: The rules can fail.

    @Test(arguments: [
        "Sources/A/Utils.swift", "Sources/A/NodeHelpers.swift", "Sources/A/String+Extensions.swift",
        "Sources/A/New/Node.swift", "Sources/Common/Node.swift", "Sources/A/Node+0.swift",
        "Tests/ATests/TestHelper.swift",
    ])
    func anEmptyNameIsFound(path: String) {
        #expect(Self.badNames(in: SourceFile(path, "")).count == 1)
    }

    @Test(arguments: ["Sources/A/NewEpoch.swift", "Sources/A/Node+Eviction.swift"])
    func aNameThatSaysSomethingPasses(path: String) {
        #expect(Self.badNames(in: SourceFile(path, "")) == [])
    }

    @Test func aTypeNamedAsItsModuleIsFound() {
        let text =
            "import struct CacheModel.CacheKey\npackage enum CacheModel {}\nextension ZeroMQ {}"
        let file = SourceFile("Sources/Model/CacheModel/CacheModel.swift", text)
        #expect(Self.typesNamedAsModules(in: file).map(\.line) == [2])
    }
}
