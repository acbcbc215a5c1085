/// Label values in the style of monitoring systems.
package enum LabelText {
    /// `invalidatedMeanwhile` as `invalidated_meanwhile`.
    package static func snake(_ name: String) -> String {
        var text = ""
        for character in name {
            text += character.isUppercase ? "_" + character.lowercased() : String(character)
        }
        return text
    }
}
