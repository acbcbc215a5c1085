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

    /// A name, endpoint or path in quotation marks, so that none is read as a number or as nothing.
    ///
    /// Names and endpoints need no more. A path may hold anything: what would end the quotation or
    /// may be no character of YAML is written by its number, and so are `&` and `*`, which are
    /// refused wherever a value could begin.
    static func quoted(_ word: String) -> String {
        let written = word.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\", "&", "*": numbered(scalar)
            case " "..."~": String(scalar)
            default: scalar.properties.isAlphabetic ? String(scalar) : numbered(scalar)
            }
        }
        return "\"\(written.joined())\""
    }

    /// `scalar` as YAML writes it by its number within quotation marks.
    private static func numbered(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
