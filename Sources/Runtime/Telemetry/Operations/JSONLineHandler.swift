import ByteCoding
import EssentialFoundation
package import Logging

/// Writes each log line as one JSON object to standard error, for log collectors.
///
///     {"time":"2026-11-25T03:00:00.000Z","level":"info","role":"node","message":"…", …}
///
/// Metadata have their own names as members: numbers as numbers, everything else as text.
package struct JSONLineHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    private let role: String
    private let write: @Sendable (String) -> Void

    /// - Parameter write: receives a line with its newline.
    package init(role: String, write: @escaping @Sendable (String) -> Void) {
        self.role = role
        self.write = write
    }

    /// A handler that writes to standard error, each line in one write.
    package static func standardError(role: String) -> JSONLineHandler {
        JSONLineHandler(role: role, write: StandardError.write)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var members = [
            ("time", JSONString.quoted(Self.time(Date()))),
            ("level", JSONString.quoted("\(event.level)")), ("role", JSONString.quoted(role)),
            ("message", JSONString.quoted("\(event.message)")),
        ]
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            members.append((Self.taken.contains(name) ? name + "_" : name, Self.text(value)))
        }
        let line = members.map { "\(JSONString.quoted($0.0)):\($0.1)" }.joined(separator: ",")
        write("{\(line)}\n")
    }

    private static let taken: Set<String> = ["time", "level", "role", "message"]

    private static func time(_ date: Date) -> String {
        date.formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func text(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): return JSONString.quoted(text)
        case .stringConvertible(let number as Int): return "\(number)"
        case .stringConvertible(let number as UInt64): return "\(number)"
        case .stringConvertible(let number as Double) where number.isFinite: return "\(number)"
        case .stringConvertible(let other): return JSONString.quoted("\(other)")
        case .array(let values): return "[" + values.map(text).joined(separator: ",") + "]"
        case .dictionary(let members):
            let all = members.sorted { $0.key < $1.key }
            let pairs = all.map { "\(JSONString.quoted($0.key)):\(text($0.value))" }
            return "{" + pairs.joined(separator: ",") + "}"
        }
    }
}
