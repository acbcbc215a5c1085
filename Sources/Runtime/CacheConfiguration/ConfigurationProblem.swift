/// One thing wrong with a configuration file, where it stands, and what to do about it.
package struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let fileName: String
    package let place: SourcePlace
    /// Which setting, from the root: `nodes[2].shards`. Lists count from 0. Empty for the file as
    /// a whole.
    package let path: String
    /// What is wrong; what to do.
    package let sentence: String

    package init(fileName: String, place: SourcePlace, path: String, sentence: String) {
        self.fileName = fileName
        self.place = place
        self.path = path
        self.sentence = sentence
    }

    /// `FILE:LINE:COLUMN: path: sentence`
    package var description: String {
        let middle = path.isEmpty ? "" : "\(path): "
        return "\(fileName):\(place.line):\(place.column): \(middle)\(sentence)"
    }
}

/// Everything wrong with a configuration file: at least one problem, in the file's order.
package struct ConfigurationErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// At most ``ConfigurationLimits/problemsMax``.
    package let problems: [ConfigurationProblem]
    /// How many more there are.
    package let omittedCount: Int

    package init(problems: [ConfigurationProblem], omittedCount: Int = 0) {
        precondition(!problems.isEmpty, "a refusal names a reason")
        self.problems = problems
        self.omittedCount = omittedCount
    }

    /// One line for each problem.
    package var description: String {
        var lines = problems.map(\.description)
        if omittedCount > 0 { lines.append("… and \(omittedCount) more") }
        return lines.joined(separator: "\n")
    }
}

/// What one reading of a file has found wrong so far. Shared by the readers of its parts, on one
/// thread.
final class ProblemList {
    private let fileName: String
    private var problems: [ConfigurationProblem] = []
    private var omittedCount = 0

    init(fileName: String) {
        self.fileName = fileName
    }

    var isEmpty: Bool { problems.isEmpty }

    func add(_ place: SourcePlace, _ path: String, _ sentence: String) {
        guard problems.count < ConfigurationLimits.problemsMax else {
            omittedCount += 1
            return
        }
        problems.append(
            ConfigurationProblem(
                fileName: fileName, place: place, path: path, sentence: sentence))
    }

    /// Throws what was found, if anything was.
    func throwIfAny() throws(ConfigurationErrors) {
        guard !problems.isEmpty else { return }
        throw ConfigurationErrors(
            problems: problems.sorted { $0.place < $1.place }, omittedCount: omittedCount)
    }
}

/// A place in a file as editors count it.
package struct SourcePlace: Hashable, Comparable, Sendable {
    /// From 1.
    package let line: Int
    /// In Unicode scalars, from 1.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Where a problem of the file as a whole is shown.
    package static let start = SourcePlace(line: 1, column: 1)

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}

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

/// Text that may be `none`.
enum OptionalText {
    /// What `parse` makes of `text`; `nil` for `none`.
    ///
    /// - Throws: the sentence of `parse`, with `none` as another choice.
    static func parse<Value>(
        _ text: String, _ parse: (String) throws(TextProblem) -> Value
    ) throws(TextProblem) -> Value? {
        if text == "none" { return nil }
        do throws(TextProblem) {
            return try parse(text)
        } catch {
            throw TextProblem(error.sentence + ", or none")
        }
    }
}
