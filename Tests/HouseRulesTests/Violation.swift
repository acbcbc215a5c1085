import Testing

/// One place where a rule is broken, and what to do about it.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let remedy: String

    init(_ file: SourceFile, line: Int, _ remedy: String) {
        path = file.path
        self.line = line
        self.remedy = remedy
    }

    var description: String { "\(path):\(line): \(remedy)" }
}

extension Sequence<Violation> {
    /// Fails the running test once for each violation.
    func report(_ location: SourceLocation = #_sourceLocation) {
        for violation in self {
            Issue.record(Comment(rawValue: violation.description), sourceLocation: location)
        }
    }
}
