import CacheAccess

/// Which lines are wanted.
struct AuditFilter {
    static let denials: Set<String> = ["denied", "left-out", "stranger"]

    /// As lines have it; what is noted before is passed over.
    var since: String?
    var who: String?
    /// Empty: every event.
    var events: Set<String> = []

    private static let head = Array(#"{"time":""#.utf8)

    /// Whether a line may be one that is wanted, without reading it: times compare as texts.
    func isLateEnough(_ line: [UInt8]) -> Bool {
        guard let since, line.starts(with: Self.head) else { return true }
        let time = line.dropFirst(Self.head.count).prefix(since.utf8.count)
        return !time.lexicographicallyPrecedes(since.utf8)
    }

    /// A name is what the key proves, or what was claimed.
    func wants(_ entry: AuditEntry) -> Bool {
        if let since, entry.time < since { return false }
        if let who, entry.who != who, entry.claim != who { return false }
        return events.isEmpty || events.contains(entry.event)
    }
}
