import CacheModel
import DequeModule

/// Records that arrived before the ones in front of them, ordered by position, bounded in number
/// and bytes.
package struct HeldRecords: Equatable, Sendable {
    private var records: Deque<SealedRecord> = []
    private(set) var bytes = 0

    package init() {}

    package var count: Int { records.count }
    package var isEmpty: Bool { records.isEmpty }
    var first: SealedRecord? { records.first }

    /// Keeps a record in its place. A second one of the same position is dropped, and so is one
    /// that would pass the bounds: the earliest are needed first, and replay fetches the rest.
    ///
    /// - Complexity: O(1) in order of position, otherwise O(held).
    mutating func hold(_ record: SealedRecord) {
        guard records.count < SubscriberLimits.heldMax,
            bytes + record.bytes.count <= SubscriberLimits.heldBytesMax
        else { return }
        var place = records.count
        while place > 0, record.position < records[place - 1].position { place -= 1 }
        if place > 0, records[place - 1].position == record.position { return }
        records.insert(record, at: place)
        bytes += record.bytes.count
    }

    /// Gives back the record of the least position.
    mutating func releaseFirst() -> SealedRecord? {
        guard let first = records.popFirst() else { return nil }
        bytes -= first.bytes.count
        return first
    }
}
