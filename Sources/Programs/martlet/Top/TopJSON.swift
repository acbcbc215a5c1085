import ByteCoding
import CacheModel
import ConsoleCore

/// The screen for scripts.
enum TopJSON {
    static func object(_ console: ClusterConsole, now: Instant) -> JSONDocument {
        let book = console.book
        let totals = book.totals
        return .object([
            ("topology", .optional(book.topology?.kind, JSONDocument.text)),
            ("head", .optional(book.head, JSONDocument.position)),
            (
                "publisher",
                .object([
                    ("endpoint", .optional(book.topology?.publisher, JSONDocument.text)),
                    ("reachable", .optional(isReached(publisher: book), JSONDocument.bool)),
                    (
                        "state",
                        .optional(book.publisherAbsence == nil ? book.publisher?.state : nil) {
                            .text($0.description)
                        }
                    ),
                    ("reason", .optional(book.publisherAbsence?.sentence, JSONDocument.text)),
                ])
            ),
            ("gets_per_second", .optional(totals.gets, JSONDocument.decimal)),
            ("hit_ratio", .optional(totals.hitShare, JSONDocument.decimal)),
            ("invalidations_per_second", .optional(totals.invalidations, JSONDocument.decimal)),
            ("nodes", .list(console.nodeRows(now: now).map(node))),
        ])
    }

    /// `nil` before it was heard of, one way or the other.
    private static func isReached(publisher book: ClusterBook) -> Bool? {
        if let absence = book.publisherAbsence { return absence.isDenial }
        return book.publisher == nil ? nil : true
    }

    private static func node(_ row: NodeRow) -> JSONDocument {
        let track = row.track
        func figure(_ name: String) -> JSONDocument {
            .optional(track.sum(name), JSONDocument.unsigned)
        }
        func rate(_ name: String) -> JSONDocument {
            .optional(track.rate(name), JSONDocument.decimal)
        }
        return .object([
            ("node", .node(row.node)), ("state", .text(row.standing.word)),
            ("state_ms", .optional(row.since, JSONDocument.milliseconds)),
            ("reason", .optional(row.reason, JSONDocument.text)),
            ("lease_ms", .optional(row.leaseLeft, JSONDocument.milliseconds)),
            ("lag", .optional(row.lag, JSONDocument.unsigned)),
            ("behind_ms", .optional(row.delay, JSONDocument.milliseconds)),
            ("shards", .integer(track.parts.count)), ("gets_per_second", rate("gets")),
            ("hit_ratio", .optional(row.hitShare, JSONDocument.decimal)),
            ("entries", figure("entries")), ("memory_bytes", figure("memory_bytes")),
            ("memory_bytes_max", figure("memory_bytes_max")),
            ("disk_entries", figure("disk_entries")),
            ("applied_per_second", .optional(row.appliedRate, JSONDocument.decimal)),
            ("evicted_per_second", rate("removed_evicted")), ("loads_per_second", rate("loads")),
            ("descriptors", figure("descriptors")),
        ])
    }
}
