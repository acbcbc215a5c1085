/// One word, mark or text of Swift source, with the line it begins on.
struct Token: Equatable {
    enum Kind: Equatable {
        /// A name, a keyword or a number.
        case word
        /// One character of punctuation or of an operator.
        case mark
        /// A string literal; `text` is what stands between its quotes, without interpolations.
        case text
    }

    let kind: Kind
    var text: String
    let line: Int
    /// Whether nothing, not even a space, stands between this token and the one before it.
    let isGlued: Bool
    /// Of a word: the one before it in its chain, or -1.
    let previous: Int32
    /// Of an opening bracket: the index of the mark that closes it, or -1.
    var partner: Int32 = -1

    var isBracket: Bool { kind == .mark && (text == "(" || text == "[" || text == "{") }

    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }

    func isWord(_ word: String) -> Bool { kind == .word && text == word }
}
