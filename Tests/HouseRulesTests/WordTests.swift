import Foundation
import Testing

/// Words that hide the subject of a sentence: a reader looks for the client, the node, the role.
@Suite struct WordTests {
    static let refused: Set<String> = [
        "who", "whom", "whose", "whoever", "nobody", "somebody",
    ]
    /// Lines of sources and of documents together, decision records apart. Some are right: a name
    /// in a file or an option, a relative clause that would be longer otherwise.
    static let linesMax = 120

    static func hasRefused(_ line: Substring) -> Bool {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            .contains { refused.contains($0.lowercased()) }
    }

    private static func paths(under folder: String) -> [String] {
        House.entries(of: folder).flatMap { name in
            let path = "\(folder)/\(name)"
            let isFolder = !House.entries(of: path).isEmpty
            return isFolder ? paths(under: path) : [path]
        }
    }

    @Test func sentencesHaveSubjects() {
        let files =
            (Self.paths(under: "Sources") + Self.paths(under: "docs"))
            .filter { !$0.hasPrefix("docs/decisions/") } + ["README.md"]
        #expect(files.count > 1_000)
        let count = files.reduce(0) { sum, path in
            let lines = House.contents(of: path).split(separator: "\n")
            return sum + lines.count(where: Self.hasRefused)
        }
        #expect(count <= Self.linesMax, "say which client, node or role does it")
    }

    @Test func aRefusedWordIsFoundInAnyCaseAndOnlyWhole() {
        #expect(Self.hasRefused("Nobody waits"))
        #expect(Self.hasRefused("a key (whose owner moved)"))
        #expect(!Self.hasRefused("the whole message"))
        #expect(!Self.hasRefused("let whoever_x = 1"))
    }
}
