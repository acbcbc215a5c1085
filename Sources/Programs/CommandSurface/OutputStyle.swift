/// The reader that a command writes for.
package enum OutputStyle: Hashable {
    /// A script: one JSON object, or one a line.
    case json
    /// A person.
    case text(isColoured: Bool)

    /// What the flag and the terminal ask for.
    package static func chosen(isJSON: Bool) -> OutputStyle {
        isJSON ? .json : .text(isColoured: Console.usesColour)
    }

    package var isColoured: Bool { self == .text(isColoured: true) }
}
