/// Why a piece of text is not the value it should be, in one sentence with its remedy.
package struct TextProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let sentence: String

    package init(_ sentence: String) {
        self.sentence = sentence
    }

    package var description: String { sentence }

    /// `text` in quotation marks for a sentence: cut when long, so that a wrong file cannot fill
    /// a screen, and without control characters, so that it cannot steer a terminal.
    package static func quote(_ text: String) -> String { "\"\(shown(text))\"" }

    /// `text` made fit for a sentence, as in ``quote(_:)``, without the quotation marks.
    package static func shown(_ text: String) -> String {
        let limit = ConfigurationLimits.quotedCharactersMax
        let head = text.unicodeScalars.prefix(limit + 1)
        var shown = String(String.UnicodeScalarView(head.prefix(limit).map(Self.harmless)))
        if head.count > limit { shown += "…" }
        return shown
    }

    private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            "\u{FFFD}"
        default: scalar
        }
    }
}
