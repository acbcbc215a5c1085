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

extension YAMLDocument {
    /// Where the first anchor or alias stands.
    ///
    /// They are looked for before libyaml reads the text, so that one sentence refuses all of them:
    /// libyaml calls a `*` alone a malformed alias, and tells of one only if all before it is YAML.
    /// A value that begins with `&` or `*` has no place in this file, so nothing is lost if one in
    /// quotation marks is taken for a reference. What is overlooked here, ``YAMLEventReader``
    /// refuses.
    static func firstReference(_ text: String) -> SourcePlace? {
        // Most files have none, and bytes are compared much more quickly than characters.
        let hasMark = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.contains { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "*") }
        }
        if hasMark == false { return nil }
        var line = 1
        for content in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if let column = referenceColumn(Array(content.unicodeScalars)) {
                return SourcePlace(line: line, column: column)
            }
            line += 1
        }
        return nil
    }

    /// The column of the first reference of one line, a comment left out.
    private static func referenceColumn(_ scalars: [Unicode.Scalar]) -> Int? {
        for (index, scalar) in scalars.enumerated() {
            let before = index > 0 ? scalars[index - 1] : " "
            if scalar == "#", before == " " || before == "\t" { return nil }
            guard scalar == "&" || scalar == "*" else { continue }
            switch before {
            case " ", "\t", "[", "{", ",", "\u{FEFF}": return index + 1
            case ":" where index > 1 && (scalars[index - 2] == "\"" || scalars[index - 2] == "'"):
                return index + 1
            default: continue
            }
        }
        return nil
    }
}

extension YAMLDocument {
    /// The settings that a file's bytes hold.
    ///
    /// - Parameter least: what the file must list at the least, for a sentence: `one node`.
    /// - Throws: what keeps the file from being settings at all.
    static func settings(
        _ bytes: [UInt8], least: String, _ problems: ProblemList
    ) throws(ConfigurationErrors) -> MappingReader {
        if bytes.count > ConfigurationLimits.fileBytesMax {
            problems.add(
                .start, "",
                "the file has more than "
                    + "\(ByteSizeText.format(ConfigurationLimits.fileBytesMax)); make it shorter")
        }
        try problems.throwIfAny()
        if let place = firstDamage(bytes) {
            problems.add(place, "", "this is not UTF-8; save the file in UTF-8")
        }
        try problems.throwIfAny()
        let root = read(String(decoding: bytes, as: UTF8.self), least: least, problems)
        try problems.throwIfAny()
        guard let root, let mapping = MappingReader(root, path: "", problems) else {
            try problems.throwIfAny()
            preconditionFailure("a document that cannot be read has a problem")
        }
        return mapping
    }

    /// Where the first byte stands that cannot be UTF-8; `nil` if all can.
    private static func firstDamage(_ bytes: [UInt8]) -> SourcePlace? {
        // Nearly always all can, and this is the quick way to know.
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var line = 1
        var column = 1
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return nil
            case .error: return SourcePlace(line: line, column: column)
            case .valid(let scalar):
                column += 1
                if Unicode.UTF8.decode(scalar) == "\n" { (line, column) = (line + 1, 1) }
            }
        }
    }
}
