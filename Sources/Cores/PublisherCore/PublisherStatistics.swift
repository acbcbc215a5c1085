package import CacheInvalidation
import CacheModel

/// Counters of a publisher since its start. A plain value: copy it, subtract two, print one.
package struct PublisherStatistics: Hashable, Sendable {
    package var messages: UInt64 = 0
    /// Messages refused as a whole, for any reason.
    package var refused: UInt64 = 0
    /// Refused because a limit was reached.
    package var busy: UInt64 = 0
    /// Refused because of missing permission.
    package var denied: UInt64 = 0
    /// Refused because the rate budget of the sender's key was used up.
    package var overBudget: UInt64 = 0
    /// Refused without an answer, because the sender's key was refused too often.
    package var refusedSilently: UInt64 = 0
    package var records: UInt64 = 0
    package var scopes: UInt64 = 0
    package var recordBytes: UInt64 = 0
    package var appends: UInt64 = 0
    /// Appends that the log refused. Nothing was invalidated by them.
    package var appendsRefused: UInt64 = 0
    /// Invalidations that were answered with the position of an earlier one.
    package var repetitions: UInt64 = 0
    /// Scopes that were invalidated again after the replica lag of their namespace.
    package var echoes: UInt64 = 0
    /// Slices of pacings.
    package var slices: UInt64 = 0
    package var receiptsComplete: UInt64 = 0
    package var receiptsIncomplete: UInt64 = 0
    /// Receipts requested by AWAIT; they count neither as complete nor as incomplete.
    package var receiptsAsked: UInt64 = 0
    package var heartbeats: UInt64 = 0
    package var replays: UInt64 = 0
    package var replayedRecords: UInt64 = 0
    package var truncations: UInt64 = 0
    /// Answers to FOLLOW, and the records in them.
    package var followAnswers: UInt64 = 0
    package var followedRecords: UInt64 = 0
    /// Parts of floor snapshots that were sent, and the buckets in them.
    package var floorParts: UInt64 = 0
    package var floorEntries: UInt64 = 0
    package var acknowledgements: UInt64 = 0
    package var leasesGranted: UInt64 = 0
    package var leasesWithheld: UInt64 = 0
    package var grantsExpired: UInt64 = 0
    /// Removed runs, by cause.
    package var runsRemoved: [RunRemovalCause: UInt64] = [:]
    /// How often the log continued at a mark that a node reported.
    package var historiesContinued: UInt64 = 0
    /// Replies dropped because their peer was too slow, or gone. Counted by the shell.
    package var repliesDropped: UInt64 = 0
    /// Epochs opened because a node was ahead of the log or had another digest.
    package var epochsOpened: UInt64 = 0
    /// 1 while appends to the log fail, or would fail. Set by the shell.
    package var logRefusing: UInt64 = 0
    /// Changes of the configuration file that cannot be applied now. Counted by the shell.
    package var configRefused: UInt64 = 0

    package init() {}

    /// Counts appended records.
    mutating func count(_ batch: [SealedRecord]) {
        appends += 1
        records += UInt64(batch.count)
        for sealed in batch {
            scopes += UInt64(sealed.record.scopes.count)
            recordBytes += UInt64(sealed.bytes.count)
        }
    }

    /// The counters under their names in STATUS.
    package var figures: [(name: String, value: UInt64)] {
        [
            ("messages", messages), ("refused", refused), ("busy", busy), ("denied", denied),
            ("over_budget", overBudget), ("refused_silently", refusedSilently),
            ("records", records), ("scopes", scopes), ("record_bytes", recordBytes),
            ("appends", appends), ("appends_refused", appendsRefused),
            ("repetitions", repetitions), ("echoes", echoes), ("slices", slices),
            ("receipts_complete", receiptsComplete),
            ("receipts_incomplete", receiptsIncomplete), ("receipts_asked", receiptsAsked),
            ("heartbeats", heartbeats),
            ("replays", replays), ("replayed_records", replayedRecords),
            ("truncations", truncations), ("follow_answers", followAnswers),
            ("followed_records", followedRecords), ("floor_parts", floorParts),
            ("floor_entries", floorEntries), ("acknowledgements", acknowledgements),
            ("leases_granted", leasesGranted), ("leases_withheld", leasesWithheld),
            ("grants_expired", grantsExpired), ("histories_continued", historiesContinued),
            ("epochs_opened", epochsOpened), ("replies_dropped", repliesDropped),
            ("log_refusing", logRefusing), ("config_refused", configRefused),
        ] + RunRemovalCause.allCases.map { ("runs_removed_\($0)", runsRemoved[$0] ?? 0) }
    }
}
