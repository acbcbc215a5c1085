package import CacheModel

/// The program that prints the value of a key, with its arguments:
/// `["/usr/bin/cat", "/data/{key}"]`.
///
/// `{key}` and `{namespace}` are placeholders anywhere in an argument; every other brace is
/// literal. No shell reads the line, so no byte of a key is special to one. A key is refused if it
/// could still have a special meaning:
/// - one with a NUL, which would end the argument;
/// - one that makes a segment `.` or `..` in its argument;
/// - one with a leading `-` at the start of an argument, which would be an option, unless an
///   argument `--` stands before.
///
/// An argument that is only `{key}` lets keys name any file, if the program interprets it as a
/// path.
package struct CommandTemplate: Equatable, Sendable {
    package let program: String
    private let arguments: [[TemplatePiece]]

    /// - Parameter words: the program, then its arguments.
    package init(_ words: [String]) throws(CommandTemplateError) {
        guard let program = words.first, !program.isEmpty else { throw .empty }
        guard !words.contains(where: { $0.utf8.contains(0) }) else { throw .nul }
        guard !program.contains("{key}"), !program.contains("{namespace}") else {
            throw .placeholderInProgram
        }
        guard program.utf8.first == UInt8(ascii: "/") || !program.utf8.contains(UInt8(ascii: "/"))
        else { throw .programRelative }
        self.program = program
        arguments = words.dropFirst().map { TemplatePiece.pieces(of: $0) { _ in } }
        let keyed = arguments.filter { $0.contains(.key) }
        guard !keyed.isEmpty else { throw .keyMissing }
        let outlines = keyed.map { Self.filled($0, key: [UInt8(ascii: "k")], namespace: "n") }
        guard !outlines.contains(where: DotSegments.occur(inPlain:)) else { throw .dotSegment }
    }

    /// The arguments for this key, each without a NUL.
    ///
    /// - Returns: `nil` if this key, or this namespace, must not be inserted.
    package func arguments(for key: CacheKey, in namespace: Namespace) -> [[UInt8]]? {
        guard !key.bytes.contains(0) else { return nil }
        var takesOptions = true
        var filled: [[UInt8]] = []
        for argument in arguments {
            let bytes = Self.filled(argument, key: key.bytes, namespace: namespace.name)
            let holdsName = argument.contains(.key) || argument.contains(.namespace)
            guard !holdsName || !DotSegments.occur(inPlain: bytes) else { return nil }
            if takesOptions, argument.first == .key || argument.first == .namespace {
                guard bytes.first != UInt8(ascii: "-") else { return nil }
            }
            if argument == [.text(Array("--".utf8))] { takesOptions = false }
            filled.append(bytes)
        }
        return filled
    }

    private static func filled(
        _ argument: [TemplatePiece], key: [UInt8], namespace: String
    ) -> [UInt8] {
        argument.flatMap { piece in
            switch piece {
            case .text(let text): text
            case .key: key
            case .namespace: Array(namespace.utf8)
            }
        }
    }
}

/// An error in an origin's command, described in one line with its remedy.
package enum CommandTemplateError: Error, Equatable, CustomStringConvertible {
    case empty
    case programRelative
    case placeholderInProgram
    case keyMissing
    case nul
    case dotSegment

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
