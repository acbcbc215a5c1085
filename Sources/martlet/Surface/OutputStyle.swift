/// For whom a command writes.
enum OutputStyle: Hashable {
    /// A script: one JSON object, or one a line.
    case json
    /// A person.
    case text(isColoured: Bool)

    /// What the flag and the terminal ask for.
    static func chosen(isJSON: Bool) -> OutputStyle {
        isJSON ? .json : .text(isColoured: Console.usesColour)
    }

    var isColoured: Bool { self == .text(isColoured: true) }
}
