import CacheModel
import DequeModule

/// The issuer and the append time of the newest records, which the log does not store.
///
/// Bounded by ``PublisherLimits/recentRecordsMax``. Lost at a restart.
struct RecentRecords {
    struct Entry: Hashable {
        let issuer: Issuer?
        let appendedAt: Instant
    }

    private var newest = LogPosition.none
    private var entries: Deque<Entry> = []

    var count: Int { entries.count }

    /// A record was appended. A known position is ignored: its request was repeated.
    mutating func note(_ position: LogPosition, _ entry: Entry) {
        guard position > newest else { return }
        if !position.directlyFollows(newest) { entries.removeAll() }
        newest = position
        if entries.count == PublisherLimits.recentRecordsMax { entries.removeFirst() }
        entries.append(entry)
    }

    /// The entry of the record at `position`; `nil` if it is not remembered.
    ///
    /// - Complexity: O(1).
    subscript(position: LogPosition) -> Entry? {
        guard position.epoch == newest.epoch, position <= newest else { return nil }
        let back = newest.sequence.rawValue - position.sequence.rawValue
        guard back < UInt64(entries.count) else { return nil }
        return entries[entries.count - 1 - Int(back)]
    }
}
