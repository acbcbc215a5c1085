package import CacheModel

/// The last invalidations, newest first.
package struct RecentInvalidations: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        package var position: LogPosition
        /// `hard`, `soft`, `lost`.
        package var word: String
        package var text: String
        package var at: Instant
    }

    /// A ring: the newest stands before ``next``.
    private var ring: [Line] = []
    private var next = 0
    package private(set) var isPartial = false
    package private(set) var failure: String?

    package init() {}

    /// The newest `limit` lines, the newest first.
    package func newest(_ limit: Int) -> [Line] {
        (0..<min(limit, ring.count)).map { age in
            ring[(next + ring.count - 1 - age) % ring.count]
        }
    }

    package mutating func heard(_ event: StreamEvent, now: Instant) {
        switch event {
        case .record(let record):
            failure = nil
            add(
                Line(
                    position: record.position,
                    word: record.strength == .hard ? "hard" : "soft",
                    text: Self.text(record), at: now))
        case .lost(let start, let end):
            guard start != end else { return }
            add(
                Line(
                    position: end, word: "lost",
                    text: "what came after \(start) up to here is not told any more", at: now))
        case .heartbeat: failure = nil
        case .partial: isPartial = true
        case .failed(let sentence): failure = sentence
        }
    }

    private mutating func add(_ line: Line) {
        if ring.count < ConsoleLimits.streamLinesMax {
            ring.append(line)
            next = 0
        } else {
            ring[next] = line
            next = (next + 1) % ring.count
        }
    }

    private static func text(_ record: InvalidationRecord) -> String {
        if record.isOfNewerForm { return "a record of a newer form: upgrade this program" }
        var words = record.scopes.prefix(ConsoleLimits.scopesShownMax).map(text)
        let more = record.scopes.count - words.count
        if more > 0 { words.append("and \(more) more") }
        let text = words.joined(separator: ", ")
        return String(text.unicodeScalars.prefix(ConsoleLimits.lineCharactersMax))
    }

    private static func text(_ scope: Scope) -> String {
        var text = scope.description
        if let version = scope.minimumVersion { text += " below version \(version)" }
        if let range = scope.hashRange {
            let share = Double(range.upperBound - range.lowerBound) * 0x1p-64
            text += " (\(FigureWord.share(share)) of the keys)"
        }
        return text
    }
}
