import Foundation

/// What a trace's lines are, told by a regular expression: slow, plain, and written apart from the
/// parser that it is held against.
struct TracePattern {
    struct Outcome {
        var requests: [TraceSample.Request] = []
        /// Numbers of lines, from 1.
        var malformed: [Int] = []
    }

    private static let request =
        #"\A[ \t]*(?:[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)?[ \t]*,"#
        + #"[ \t]*([^, \t](?:[^,]*[^, \t])?)[ \t]*,[ \t]*([0-9]{1,20})[ \t]*\z"#

    private let request: NSRegularExpression
    private let header: NSRegularExpression
    private let blank: NSRegularExpression

    init() throws {
        request = try NSRegularExpression(pattern: Self.request)
        header = try NSRegularExpression(
            pattern: #"\A[ \t]*time[ \t]*,[ \t]*key[ \t]*,[ \t]*size[ \t]*\z"#,
            options: .caseInsensitive)
        blank = try NSRegularExpression(pattern: #"\A[ \t]*\z"#)
    }

    func parse(_ bytes: [UInt8]) -> Outcome {
        var outcome = Outcome()
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            let line = line.last == 0x0D ? line.dropLast() : line
            // One character a byte, so that every pattern sees bytes.
            let text = String(String.UnicodeScalarView(line.map { UnicodeScalar($0) }))
            if let found = self.found(text) {
                outcome.requests.append(found)
            } else if !matches(blank, text), index > 0 || !matches(header, text) {
                outcome.malformed.append(index + 1)
            }
        }
        return outcome
    }

    private func matches(_ pattern: NSRegularExpression, _ text: String) -> Bool {
        pattern.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }

    private func found(_ text: String) -> TraceSample.Request? {
        let range = NSRange(location: 0, length: text.utf16.count)
        guard let match = request.firstMatch(in: text, range: range),
            let key = Range(match.range(at: 1), in: text),
            let digits = Range(match.range(at: 2), in: text),
            let size = UInt32(text[digits]), size > 0
        else { return nil }
        return .init(text[key].unicodeScalars.map { UInt8($0.value) }, size)
    }
}
