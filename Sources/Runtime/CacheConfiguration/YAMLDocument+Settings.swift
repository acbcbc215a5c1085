extension YAMLDocument {
    /// The settings that a file's bytes hold.
    ///
    /// - Parameter least: what the file must list at the least, for a sentence: `one node`.
    /// - Throws: what keeps the file from being settings at all.
    static func settings(
        _ bytes: [UInt8], least: String, _ problems: ProblemList
    ) throws(ConfigurationErrors) -> MappingReader {
        refuseTooLong(bytes.count, problems)
        try problems.throwIfAny()
        if let place = firstDamage(bytes) {
            problems.add(place, "", "this is not UTF-8; save the file in UTF-8")
        }
        try problems.throwIfAny()
        return try settings(String(decoding: bytes, as: UTF8.self), least: least, problems)
    }

    /// The settings that a file's text holds, as from its bytes.
    static func settings(
        _ text: String, least: String, _ problems: ProblemList
    ) throws(ConfigurationErrors) -> MappingReader {
        refuseTooLong(text.utf8.count, problems)
        try problems.throwIfAny()
        let root = read(text, least: least, problems)
        try problems.throwIfAny()
        guard let root, let mapping = MappingReader(root, path: "", problems) else {
            try problems.throwIfAny()
            preconditionFailure("a document that cannot be read has a problem")
        }
        return mapping
    }

    private static func refuseTooLong(_ byteCount: Int, _ problems: ProblemList) {
        guard byteCount > ConfigurationLimits.fileBytesMax else { return }
        problems.add(
            .start, "",
            "the file has more than "
                + "\(ByteSizeText.format(ConfigurationLimits.fileBytesMax)); make it shorter")
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
