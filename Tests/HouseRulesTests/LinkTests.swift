import Foundation
import Testing

/// Links between the documents lead somewhere: to a file, and to a heading of it.
@Suite struct LinkTests {
    /// A document, its links outside of code blocks, and the anchors that a link may name.
    private struct Document {
        var links: [String] = []
        var anchors: Set<String> = []

        init(_ text: String) {
            var isCode = false
            for line in text.split(separator: "\n") {
                if line.hasPrefix("```") { isCode.toggle() }
                guard !isCode else { continue }
                if let heading = line.firstMatch(of: /^#+ (.*)$/) {
                    anchors.insert(Self.anchor(of: String(heading.1)))
                }
                anchors.formUnion(line.matches(of: /<a id="([^"]+)">/).map { String($0.1) })
                links += line.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
            }
        }

        /// As GitHub makes it: letters, digits, - and _ in lower case, and - for each blank.
        static func anchor(of heading: String) -> String {
            let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
            return String(
                text.compactMap { letter -> Character? in
                    if letter == " " { return "-" }
                    return letter.isLetter || letter.isNumber || "-_".contains(letter)
                        ? letter : nil
                })
        }
    }

    private static let paths: [String] =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"] + documents(under: "docs")

    private static func documents(under folder: String) -> [String] {
        House.entries(of: folder).flatMap { name -> [String] in
            let path = folder + "/" + name
            return name.hasSuffix(".md") ? [path] : documents(under: path)
        }
    }

    /// What is wrong with the links of one document.
    private static func broken(
        _ text: String, at path: String, anchors: (String) -> Set<String>?
    ) -> [String] {
        let folder = URL(filePath: "/" + path).deletingLastPathComponent()
        return Document(text).links.compactMap { link in
            guard !link.contains("://"), !link.hasPrefix("mailto:") else { return nil }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let place = folder.appending(path: String(parts[0])).standardized
            let target = parts[0].isEmpty ? path : String(place.path.dropFirst())
            guard let found = anchors(target) else { return "\(path): \(link): no such file" }
            guard parts.count == 2, target.hasSuffix(".md") else { return nil }
            return found.contains(String(parts[1])) ? nil : "\(path): \(link): no such heading"
        }
    }

    @Test func everyLinkBetweenDocumentsLeadsSomewhere() {
        var known: [String: Set<String>] = [:]
        func anchors(_ path: String) -> Set<String>? {
            let url = House.root.appending(path: path)
            guard FileManager.default.fileExists(atPath: url.path) else { return nil }
            guard path.hasSuffix(".md") else { return [] }
            if let found = known[path] { return found }
            let found = Document(House.contents(of: path)).anchors
            known[path] = found
            return found
        }
        #expect(Self.paths.count > 100)
        let broken = Self.paths.flatMap {
            Self.broken(House.contents(of: $0), at: $0, anchors: anchors)
        }
        #expect(broken == [])
    }

    // MARK: The rule can fail.

    @Test(arguments: [
        ("[a](b.md#what-is-new)", nil), ("[a](b.md)", nil), ("[a](#own-one)\n# Own: one", nil),
        ("[a](../README.md)", nil), ("[a](https://example.com/#x)", nil),
        ("```\n[a](c.md)\n```", nil), ("[a](b.md#here)", nil),
        ("[a](c.md)", "docs/a.md: c.md: no such file"),
        ("[a](b.md#old)", "docs/a.md: b.md#old: no such heading"),
        ("[a](#old)\n# new", "docs/a.md: #old: no such heading"),
    ])
    func aLinkThatLeadsNowhereIsFound(text: String, problem: String?) {
        let other = Document("## What *is* new\n<a id=\"here\"></a>").anchors
        let found = Self.broken(text, at: "docs/a.md") { path in
            switch path {
            case "docs/a.md": Document(text).anchors
            case "docs/b.md": other
            case "README.md": []
            default: nil
            }
        }
        #expect(found == [problem].compactMap(\.self))
    }
}
