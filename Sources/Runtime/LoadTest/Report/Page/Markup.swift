/// A writer of elements: every open tag is closed, and every text and attribute is escaped, so that
/// the result is valid XML and HTML.
struct Markup {
    private(set) var text = ""

    typealias Attributes = KeyValuePairs<String, String>

    /// Writes an element with the output of `body` inside.
    mutating func element(
        _ name: String, _ attributes: Attributes = [:], _ body: (inout Markup) -> Void
    ) {
        open(name, attributes)
        text += ">"
        body(&self)
        text += "</\(name)>"
    }

    /// Writes an element with a text inside.
    mutating func element(_ name: String, _ attributes: Attributes, _ content: String) {
        element(name, attributes) { $0.write(content) }
    }

    mutating func element(_ name: String, _ content: String) {
        element(name, [:], content)
    }

    /// Writes an empty element.
    mutating func empty(_ name: String, _ attributes: Attributes = [:]) {
        open(name, attributes)
        text += "/>"
    }

    mutating func write(_ content: String) { text += Self.escaped(content) }

    /// Writes our own markup: the style and the script of the page. Never for text from outside.
    mutating func write(own source: StaticString) { text += "\(source)" }

    private mutating func open(_ name: String, _ attributes: Attributes) {
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
    }

    /// Escapes `content`. Control characters, which XML does not allow even escaped, are replaced
    /// by their pictures.
    static func escaped(_ content: String) -> String {
        var text = ""
        for scalar in content.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n": text += "\n"
            case "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            case ..<" ": text.unicodeScalars.append(picture(of: scalar))
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func picture(of control: Unicode.Scalar) -> Unicode.Scalar {
        Unicode.Scalar(0x2400 + control.value) ?? "\u{FFFD}"
    }
}
