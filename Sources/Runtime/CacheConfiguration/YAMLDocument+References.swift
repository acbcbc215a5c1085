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
