import Yams

/// Text to YAML nodes: the one place that knows the YAML library's errors.
enum YAMLDocument {
    /// The root of the one document in `text`; `nil` after adding a problem.
    ///
    /// - Parameter least: what a file must list at the least, for a sentence: `one node`.
    static func read(_ text: String, least: String, _ problems: ProblemList) -> Node? {
        if let place = firstReference(text) {
            problems.add(
                place, "", "anchors (&) and aliases (*) are not taken here; write the value out")
            return nil
        }
        do {
            // The encoding is named because its default depends on the environment.
            if let root = try Parser(yaml: text, encoding: .utf8).singleRoot() { return root }
            problems.add(.start, "", "the file says nothing; it must list at least \(least)")
        } catch let error as YamlError {
            add(error, text, problems)
        } catch {
            problems.add(.start, "", "it cannot be read as YAML: \(error)")
        }
        return nil
    }

    private static func add(_ error: YamlError, _ text: String, _ problems: ProblemList) {
        switch error {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _):
            let place = SourcePlace(line: mark.line, column: mark.column)
            let during = context.map { ", \($0.text) from line \($0.mark.line)" } ?? ""
            problems.add(
                place, "", "this is not YAML: \(problem)\(during); \(remedy(text, mark.line))")
        case .composer(_, _, let mark, _):
            // References were refused before, so this is the one fault that is left to compose.
            problems.add(
                SourcePlace(line: mark.line, column: mark.column), "",
                "a second document begins here; write one and no more")
        case .duplicatedKeysInMapping(let names, let context):
            let name = TextProblem.shown(names.first ?? "")
            problems.add(
                SourcePlace(line: context.mark.line, column: context.mark.column), name,
                "it is given more than once, first here; remove the others")
        case .reader(let problem, _, let value, _):
            problems.add(
                firstControl(text) ?? .start, "",
                "\(problem) (\(value)); remove the character")
        default:
            problems.add(.start, "", "it cannot be read as YAML: \(error)")
        }
    }

    /// What most often helps on a line that is not YAML.
    private static func remedy(_ text: String, _ line: Int) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let found = lines.indices.contains(line - 1) ? lines[line - 1] : ""
        return found.contains("\t")
            ? "indent with spaces, not with tabs"
            : "look at the indentation, colons and quotation marks here and just above"
    }

    /// Where the first character stands that YAML does not allow.
    private static func firstControl(_ text: String) -> SourcePlace? {
        var place = SourcePlace.start
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: place = SourcePlace(line: place.line + 1, column: 1)
            case 0x09, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF:
                place = SourcePlace(line: place.line, column: place.column + 1)
            default: return place
            }
        }
        return nil
    }
}
