extension SourceFile {
    /// The comment at the end of `line` together with the block of comments right above it;
    /// lines that hold only attributes may stand between.
    func comment(at line: Int) -> String {
        var index = line - 1
        guard lines.indices.contains(index) else { return "" }
        var parts: [String] = []
        if let mark = lines[index].firstRange(of: "//") {
            parts.append(String(lines[index][mark.lowerBound...]))
        }
        index -= 1
        while index >= 0 {
            let text = lines[index].drop { $0 == " " }
            if text.hasPrefix("//") {
                parts.append(String(text))
            } else if !text.hasPrefix("@") {
                break
            }
            index -= 1
        }
        return parts.reversed().joined(separator: "\n")
    }

    /// The number of documentation lines right above the type that begins on `line`.
    func documentationLineCount(above line: Int) -> Int {
        comment(at: line).split(separator: "\n").count { $0.hasPrefix("///") }
    }

    /// The types declared in this file, extensions not included.
    var types: [(name: String, line: Int)] {
        let keywords: Set<String> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        return places(of: keywords).compactMap { index in
            guard index + 1 < tokens.count, tokens[index + 1].kind == .word,
                tokens[index + 1].text.first?.isUppercase == true,
                index == 0 || !tokens[index - 1].isWord("import")
            else { return nil }
            return (tokens[index + 1].text, tokens[index].line)
        }
    }
}
