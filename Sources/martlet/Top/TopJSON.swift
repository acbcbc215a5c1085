import CacheModel
import ConsoleCore

/// The screen for scripts.
enum TopJSON {
    static func object(_ console: ClusterConsole, now: Instant) -> JSONValue {
        let book = console.book
        let totals = book.totals
        return .object([
            ("topology", .optional(book.topology?.kind, JSONValue.text)),
            ("head", .optional(book.head, JSONValue.position)),
            (
                "publisher",
                .object([
                    ("endpoint", .optional(book.topology?.publisher, JSONValue.text)),
                    ("reachable", .optional(isReached(publisher: book), JSONValue.bool)),
                    (
                        "state",
                        .optional(book.publisherAbsence == nil ? book.publisher?.state : nil) {
                            .text($0.description)
                        }
                    ),
                    ("reason", .optional(book.publisherAbsence?.sentence, JSONValue.text)),
                ])
            ),
            ("gets_per_second", .optional(totals.gets, JSONValue.decimal)),
            ("hit_ratio", .optional(totals.hitShare, JSONValue.decimal)),
            ("invalidations_per_second", .optional(totals.invalidations, JSONValue.decimal)),
            ("nodes", .list(console.nodeRows(now: now).map(node))),
        ])
    }

    /// `nil` before it was heard of, one way or the other.
    private static func isReached(publisher book: ClusterBook) -> Bool? {
        if let absence = book.publisherAbsence { return absence.isDenial }
        return book.publisher == nil ? nil : true
    }

    private static func node(_ row: NodeRow) -> JSONValue {
        let track = row.track
        func figure(_ name: String) -> JSONValue { .optional(track.sum(name), JSONValue.unsigned) }
        func rate(_ name: String) -> JSONValue { .optional(track.rate(name), JSONValue.decimal) }
        return .object([
            ("node", .node(row.node)), ("state", .text(row.standing.word)),
            ("state_ms", .optional(row.since, JSONValue.milliseconds)),
            ("reason", .optional(row.reason, JSONValue.text)),
            ("lease_ms", .optional(row.leaseLeft, JSONValue.milliseconds)),
            ("lag", .optional(row.lag, JSONValue.unsigned)),
            ("behind_ms", .optional(row.delay, JSONValue.milliseconds)),
            ("shards", .integer(track.parts.count)), ("gets_per_second", rate("gets")),
            ("hit_ratio", .optional(row.hitShare, JSONValue.decimal)),
            ("entries", figure("entries")), ("memory_bytes", figure("memory_bytes")),
            ("memory_bytes_max", figure("memory_bytes_max")),
            ("disk_entries", figure("disk_entries")),
            ("applied_per_second", .optional(row.appliedRate, JSONValue.decimal)),
            ("evicted_per_second", rate("removed_evicted")), ("loads_per_second", rate("loads")),
            ("descriptors", figure("descriptors")),
        ])
    }
}
