/// Text to YAML nodes: the one place that words YAML's errors.
enum YAMLDocument {
    /// The root of the one document in `text`; `nil` after adding a problem.
    ///
    /// - Parameter least: what a file must list at the least, for a sentence: `one node`.
    static func read(_ text: String, least: String, _ problems: ProblemList) -> YAMLNode? {
        if let place = firstReference(text) {
            add(.reference(place), text, problems)
            return nil
        }
        do throws(YAMLFault) {
            if let root = try YAMLTreeReader.root(of: text) { return root }
            problems.add(.start, "", "the file says nothing; it must list at least \(least)")
        } catch {
            add(error, text, problems)
        }
        return nil
    }

    private static func add(_ fault: YAMLFault, _ text: String, _ problems: ProblemList) {
        switch fault {
        case .syntax(let problem, let context, let place):
            let during = context.map { ", \($0.text) from line \($0.place.line)" } ?? ""
            problems.add(
                place, "", "this is not YAML: \(problem)\(during); \(remedy(text, place.line))")
        case .character(let problem, let code):
            problems.add(
                firstControl(text) ?? .start, "", "\(problem) (\(code)); remove the character")
        case .reference(let place):
            problems.add(
                place, "", "anchors (&) and aliases (*) are not taken here; write the value out")
        case .duplicateKey(let name, let place):
            problems.add(
                place, TextProblem.shown(name),
                "it is given more than once, first here; remove the others")
        case .secondDocument(let place):
            problems.add(place, "", "a second document begins here; write one and no more")
        case .tooDeep(let place):
            problems.add(
                place, "",
                "lists and settings are nested more than \(ConfigurationLimits.nestingMax) levels "
                    + "deep here; remove brackets or indentation")
        case .outOfMemory:
            problems.add(.start, "", "it cannot be read as YAML: there is not enough memory")
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
