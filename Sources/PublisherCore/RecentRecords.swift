import CacheModel
import DequeModule

/// What the publisher remembers of its newest records and does not write into the log: who ordered
/// each, as it said itself, and when it was appended.
///
/// Bounded by ``PublisherLimits/recentRecordsMax``. A restart forgets all of it.
struct RecentRecords {
    struct Entry: Hashable {
        let issuer: Issuer?
        let appendedAt: Instant
    }

    private var newest = LogPosition.none
    private var entries: Deque<Entry> = []

    var count: Int { entries.count }

    /// A record was appended. One that is known is passed over: it was asked for again.
    mutating func note(_ position: LogPosition, _ entry: Entry) {
        guard position > newest else { return }
        if !position.directlyFollows(newest) { entries.removeAll() }
        newest = position
        if entries.count == PublisherLimits.recentRecordsMax { entries.removeFirst() }
        entries.append(entry)
    }

    /// What is remembered of the record at `position`.
    ///
    /// - Complexity: O(1).
    subscript(position: LogPosition) -> Entry? {
        guard position.epoch == newest.epoch, position <= newest else { return nil }
        let back = newest.sequence.rawValue - position.sequence.rawValue
        guard back < UInt64(entries.count) else { return nil }
        return entries[entries.count - 1 - Int(back)]
    }
}
