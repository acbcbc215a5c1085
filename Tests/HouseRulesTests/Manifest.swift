/// What `Package.swift` says about the targets, in the order in which it says it.
struct Manifest {
    struct Target: Equatable {
        let name: String
        /// Targets and products it depends on; a product bears the name of its module.
        let dependencies: Set<String>
        let line: Int
        /// A test, a tool of the tests that lies among them, or an example among the docs.
        let isTest: Bool
    }

    let targets: [Target]

    init(_ file: SourceFile) {
        let constants = Self.constants(in: file)
        let testKinds: Set<String> = ["testTarget", "unitTests"]
        let kinds = testKinds.union([
            "target", "module", "program", "executableTarget", "systemLibrary",
        ])
        var found: [Target] = []
        var index = 0
        while index + 2 < file.tokens.count {
            let isTarget =
                file.tokens[index].isMark(".") && kinds.contains(file.tokens[index + 1].text)
                && file.tokens[index + 2].isMark("(")
            guard isTarget else {
                index += 1
                continue
            }
            let (start, end) = (index, file.closing(index + 2))
            let body = start + 3..<end
            index = end
            // What makes targets of its parameters names none itself.
            guard let name = Self.name(in: file, body) else { continue }
            found.append(
                Target(
                    name: name,
                    dependencies: Self.dependencies(in: file, body, constants),
                    line: file.tokens[start].line,
                    isTest: testKinds.contains(file.tokens[start + 1].text)
                        || body.contains {
                            file.tokens[$0].text.hasPrefix("Tests/")
                                || file.tokens[$0].text.hasPrefix("docs/")
                        }))
        }
        targets = found
    }

    /// The first `name: "…"` within `range`.
    private static func name(in file: SourceFile, _ range: Range<Int>) -> String? {
        range.first { file.tokens[$0].isWord("name") && file.tokens[$0 + 2].kind == .text }
            .map { file.tokens[$0 + 2].text }
    }

    /// The name of a product: labelled, or the first argument of `library(…)`.
    private static func product(in file: SourceFile, _ open: Int) -> String? {
        let range = open..<file.closing(open)
        guard file.tokens[open - 1].isWord("library") else { return name(in: file, range) }
        return range.first { file.tokens[$0].kind == .text }.map { file.tokens[$0].text }
    }

    /// Products that have a name of their own: `let logging = library(…)`.
    private static func constants(in file: SourceFile) -> [String: String] {
        var constants: [String: String] = [:]
        for index in file.tokens.indices.dropLast(2)
        where file.tokens[index].isWord("let") && file.tokens[index + 2].isMark("=") {
            let rest = file.tokens[(index + 3)...]
            guard rest.prefix(5).contains(where: { $0.isWord("product") || $0.isWord("library") }),
                let open = rest.firstIndex(where: { $0.isMark("(") })
            else { continue }
            constants[file.tokens[index + 1].text] = product(in: file, open)
        }
        return constants
    }

    private static func dependencies(
        in file: SourceFile, _ range: Range<Int>, _ constants: [String: String]
    ) -> Set<String> {
        guard let label = range.first(where: { file.tokens[$0].isWord("dependencies") }) else {
            return []
        }
        let open = label + 2
        let close = file.closing(open)
        var names: Set<String> = []
        var index = open + 1
        while index < close {
            let token = file.tokens[index]
            if token.kind == .text {
                names.insert(token.text)
            } else if let product = constants[token.text] {
                names.insert(product)
            } else if token.isMark("(") {
                let end = file.closing(index)
                if let name = product(in: file, index) { names.insert(name) }
                index = end
            }
            index += 1
        }
        return names
    }
}
