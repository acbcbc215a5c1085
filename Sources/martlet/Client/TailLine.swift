import CacheModel
import MartletClient

/// One line of `tail`.
struct TailLine {
    let event: InvalidationStream.Event

    init(_ event: InvalidationStream.Event) {
        self.event = event
    }

    /// Empty for what is not worth a line.
    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        switch event {
        case .record(let record):
            if style == .json {
                output.writeLine(Self.json(record))
            } else {
                output.writeLine(Self.text(record))
            }
        case .lost(let start, let end) where start != end:
            if style == .json {
                output.writeLine(
                    .object([
                        ("event", .text("lost")), ("after", .position(start)),
                        ("continuing_after", .position(end)),
                    ]))
            }
            output.complain(Self.loss(start, end))
        case .lost, .heartbeat: break
        }
        return output
    }

    private static func text(_ record: InvalidationRecord) -> String {
        let position = record.position.description
        let gap = String(repeating: " ", count: max(0, 10 - position.count))
        let strength = record.strength == .hard ? "hard" : "soft"
        return "\(position)\(gap)  \(strength)  \(record.scopes.map(text).joined(separator: ", "))"
    }

    private static func text(_ scope: Scope) -> String {
        var text = HarmlessText.line(scope.description)
        if let version = scope.minimumVersion { text += " below version \(version)" }
        if let range = scope.hashRange {
            text += " with hash \(range.lowerBound)…\(range.upperBound)"
        }
        return text
    }

    private static func loss(_ start: LogPosition, _ end: LogPosition) -> String {
        if start.epoch == end.epoch, start > end {
            return "\(start) is beyond the log, which ends at \(end); going on after that"
        }
        if start.epoch == end.epoch {
            return "history is gone: the publisher no longer has what came after \(start) up to "
                + "\(end); going on after that"
        }
        return "history is gone: \(start) is of another log than the publisher's; going on after "
            + "\(end)"
    }

    private static func json(_ record: InvalidationRecord) -> JSONValue {
        .object([
            ("event", .text("record")), ("position", .position(record.position)),
            ("strength", .text(record.strength == .hard ? "hard" : "soft")),
            ("scopes", .list(record.scopes.map(JSONValue.scope))),
        ])
    }
}
