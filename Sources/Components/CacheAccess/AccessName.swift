import CacheModel

/// The names of the list's entries, and words of it that are shown in a complaint.
enum AccessName {
    private static let shownMax = 80

    /// A node's id is one, so both have the same bounds.
    static func isName(_ text: Substring) -> Bool { NodeID(String(text)) != nil }

    /// A word as it may be shown: cut when long, and nothing that could steer a terminal.
    static func shown(_ word: Substring) -> String {
        var shown = ""
        for scalar in word.unicodeScalars.prefix(shownMax) {
            shown.unicodeScalars.append(scalar.value >= 0x20 && scalar.value < 0x7F ? scalar : "?")
        }
        return word.unicodeScalars.count > shownMax ? shown + "…" : shown
    }
}
