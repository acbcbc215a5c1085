/// An error in an origin's command, described in one line with its remedy.
package enum CommandTemplateError: Error, Equatable {
    case empty
    case programRelative
    case placeholderInProgram
    case keyMissing
    case nul
    case dotSegment
}

extension CommandTemplateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "the origin's command is empty: write a program and its arguments"
        case .programRelative:
            "the program of the origin's command is a relative path: write the whole path, or a "
                + "name that is found by PATH"
        case .placeholderInProgram:
            "the program of the origin's command holds a placeholder: put it into an argument, "
                + "for a key must not choose the program"
        case .keyMissing:
            "the origin's command has no {key}, so every key would get the same value: put {key} "
                + "into an argument"
        case .nul:
            "the origin's command holds a NUL, which ends an argument: leave it out"
        case .dotSegment:
            "an argument of the origin's command holds {key} and a segment “.” or “..”: write the "
                + "path that is meant"
        }
    }
}
