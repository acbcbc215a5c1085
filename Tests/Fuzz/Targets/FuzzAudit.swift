import CacheAccess

/// What a core has to say for the audit log.
enum FuzzAudit {
    private static let names: [AuditNames] = [
        .clear, .hashed(NameHash(key0: 1, key1: 2)), .none,
    ]

    /// Whatever somebody has called their keys, it is one line, and steers no terminal.
    static func look(at event: AuditEvent) {
        check(AuditEvent.words.contains(event.word) && event.byteCount > 0, "an event has a word")
        for names in names {
            let line = event.line(at: 1_764_000_000_000, names: names).utf8
            check(line.last == 0x0A, "a line ends")
            let isFit = line.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            check(isFit, "a line of the audit log is one line")
        }
    }
}
