/// A declaration of a type, or an extension of one.
struct TypePart: Equatable {
    /// With the types around it: `Outer.Inner`.
    let name: String
    let line: Int
    /// Without those of the types inside.
    var lineCount: Int
    /// Of instances; 0 in an extension.
    var propertyCount: Int
}

extension SourceFile {
    /// Every type that is declared or extended here.
    var typeParts: [TypePart] { typeParts(in: tokens.startIndex..<tokens.endIndex, of: "").parts }

    private static let typeKinds: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "extension",
    ]

    /// - Returns: the types within, and the instance properties that are stored beside them.
    private func typeParts(
        in range: Range<Int>, of outer: String
    ) -> (parts: [TypePart], propertyCount: Int) {
        var parts: [TypePart] = []
        var propertyCount = 0
        var index = range.lowerBound
        while index < range.upperBound {
            if let (open, name) = opening(ofTypeAt: index, in: range) {
                let full = outer.isEmpty ? name : "\(outer).\(name)"
                parts += typeParts(at: index, open, named: full)
                index = closing(open) + 1
            } else if tokens[index].isWord("var") || tokens[index].isWord("let") {
                propertyCount += storedCount(at: index, in: range)
                index += 1
            } else {
                index = closing(index) + 1
            }
        }
        return (parts, propertyCount)
    }

    /// The type at this place, and those inside it.
    private func typeParts(at index: Int, _ open: Int, named name: String) -> [TypePart] {
        let close = closing(open)
        let (inner, propertyCount) = typeParts(in: open + 1..<close, of: name)
        let lineCount = tokens[close].line - tokens[index].line + 1
        let own = TypePart(
            name: name, line: tokens[index].line,
            lineCount: lineCount - inner.reduce(0) { $0 + $1.lineCount },
            propertyCount: propertyCount)
        return [own] + inner
    }

    /// The brace of a type's body, and its name, if one is declared or extended at this place.
    private func opening(ofTypeAt index: Int, in range: Range<Int>) -> (Int, String)? {
        guard tokens[index].kind == .word, Self.typeKinds.contains(tokens[index].text),
            index + 1 < range.upperBound, tokens[index + 1].kind == .word,
            !Self.members.contains(tokens[index + 1].text)
        else { return nil }
        var (name, next) = (tokens[index + 1].text, index + 2)
        while next + 1 < range.upperBound, tokens[next].isMark("."), tokens[next].isGlued {
            name += "." + tokens[next + 1].text
            next += 2
        }
        while next < range.upperBound, !tokens[next].isMark("{") { next = closing(next) + 1 }
        return next < range.upperBound ? (next, name) : nil
    }

    /// What `class` may stand before without beginning a type.
    private static let members: Set<String> = ["func", "var", "let", "subscript"]

    /// How many properties of an instance are stored by the declaration at this place.
    private func storedCount(at index: Int, in range: Range<Int>) -> Int {
        guard !isShared(at: index, in: range) else { return 0 }
        let first = index + 1
        let isTuple = first < range.upperBound && tokens[first].isMark("(")
        let names =
            isTuple ? 1 + tokens[first..<closing(first)].count { $0.isMark(",") } : 1
        var next = isTuple ? closing(first) + 1 : first + 1
        while next < range.upperBound {
            let token = tokens[next]
            if token.isMark("=") { return names }
            if token.isMark("{") {
                let body = tokens[next...closing(next)]
                return body.contains { $0.isWord("didSet") || $0.isWord("willSet") } ? names : 0
            }
            let beginsLine = token.line > tokens[next - 1].line
            if beginsLine, !token.isMark("."), !token.isMark("&") { return names }
            next = closing(next) + 1
        }
        return names
    }

    /// Whether it belongs to the type and not to its instances.
    private func isShared(at index: Int, in range: Range<Int>) -> Bool {
        var before = index - 1
        while before >= range.lowerBound {
            let token = tokens[before]
            if token.isWord("static") || token.isWord("class") { return true }
            // private(set)
            if token.isMark(")"), token.line == tokens[index].line {
                before -= 1
                continue
            }
            guard token.line == tokens[index].line, token.kind == .word || token.isMark("(") else {
                return false
            }
            before -= 1
        }
        return false
    }
}
