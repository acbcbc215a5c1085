/// The measures of one function, initialiser or subscript.
struct FunctionShape: Equatable {
    let name: String
    let line: Int
    let parameterCount: Int
    /// From the line of its keyword to the line of its closing brace; 1 if it has no body.
    let lineCount: Int
}

extension SourceFile {
    /// Every function, initialiser, deinitialiser and subscript that is declared here.
    var functions: [FunctionShape] {
        places(of: ["func", "init", "subscript", "deinit"]).compactMap(shape(at:))
    }

    private func shape(at index: Int) -> FunctionShape? {
        let token = tokens[index]
        guard index + 1 < tokens.count else { return nil }
        let isMember = index > 0 && tokens[index - 1].isMark(".")
        switch token.text {
        case "func":
            return shape(at: index, name: nameOfFunction(at: index))
        case "init" where !isMember, "subscript" where !isMember:
            let opens = ["(", "<", "?"].contains(tokens[index + 1].text)
            return opens ? shape(at: index, name: token.text) : nil
        case "deinit" where tokens[index + 1].isMark("{"):
            let end = tokens[closing(index + 1)].line
            return FunctionShape(
                name: "deinit", line: token.line, parameterCount: 0,
                lineCount: end - token.line + 1)
        default:
            return nil
        }
    }

    private func shape(at index: Int, name: String) -> FunctionShape? {
        guard let open = tokens[index...].firstIndex(where: { $0.isMark("(") }) else { return nil }
        let close = closing(open)
        let end = body(after: close).map { tokens[closing($0)].line } ?? tokens[index].line
        return FunctionShape(
            name: name, line: tokens[index].line,
            parameterCount: parameterCount(from: open, to: close),
            lineCount: end - tokens[index].line + 1)
    }

    private func nameOfFunction(at index: Int) -> String {
        var name = ""
        for token in tokens[(index + 1)...] {
            if token.isMark("(") || (token.isMark("<") && name.first?.isLetter == true) { break }
            name += token.text
        }
        return name
    }

    /// A parameter has exactly one colon outside brackets, whatever commas its type holds.
    private func parameterCount(from open: Int, to close: Int) -> Int {
        var count = 0
        var index = open + 1
        while index < close {
            if tokens[index].isBracket {
                index = closing(index)
            } else if tokens[index].isMark(":") {
                count += 1
            }
            index += 1
        }
        return count
    }

    /// The brace that opens the body of a declaration whose parameters end at `close`;
    /// `nil` if the next declaration begins before one does, as in a protocol.
    private func body(after close: Int) -> Int? {
        var index = close + 1
        while index < tokens.count {
            let token = tokens[index]
            if token.isMark("{") { return index }
            if token.isMark("}") { return nil }
            let beginsLine = token.line > tokens[index - 1].line
            if beginsLine && Self.beginnings.contains(token.text) { return nil }
            index = token.isMark("(") || token.isMark("[") ? closing(index) + 1 : index + 1
        }
        return nil
    }

    private static let beginnings: Set<String> = [
        "func", "init", "deinit", "subscript", "var", "let", "static", "class", "struct", "enum",
        "protocol", "extension", "actor", "typealias", "associatedtype", "mutating", "consuming",
        "borrowing", "nonmutating", "public", "package", "internal", "fileprivate", "private",
        "override", "final", "case", "import", "prefix", "postfix", "infix", "@", "#",
    ]
}
