/// Writes settings as YAML, line by line.
struct ConfigurationText {
    private(set) var text = ""
    private let withComments: Bool

    init(withComments: Bool) {
        self.withComments = withComments
    }

    /// A line of nothing but a comment; nothing at all if there are to be none.
    mutating func comment(_ sentence: String, indent: Int = 0) {
        guard withComments else { return }
        text += String(repeating: " ", count: indent) + "# \(sentence)\n"
    }

    /// An empty line between sections, for people.
    mutating func gap() {
        if withComments { text += "\n" }
    }

    /// `name: value  # note`; a section's head if `value` is empty.
    mutating func setting(
        _ name: String, _ value: String = "", indent: Int = 0, note: String? = nil
    ) {
        text += String(repeating: " ", count: indent) + "\(name):"
        if !value.isEmpty { text += " \(value)" }
        if let note, withComments { text += "  # \(note)" }
        text += "\n"
    }

    /// A name or endpoint in quotation marks, so that none is read as a number or as nothing.
    /// Neither can hold a character that would need more.
    static func quoted(_ word: String) -> String { "\"\(word)\"" }
}
