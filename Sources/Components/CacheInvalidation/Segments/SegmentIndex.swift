package import CacheModel

/// Where some of a segment's frames begin, so that a replay reads little more than it sends.
///
/// Every frame that begins 32 KiB or more behind the last one noted is noted: 16 bytes for each.
package struct SegmentIndex: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        let sequence: SequenceNumber
        let offset: Int
    }

    private var entries: [Entry] = []

    package init() {}

    /// A frame begins at `offset`. Frames are noted in order.
    package mutating func note(_ sequence: SequenceNumber, at offset: Int) {
        if let last = entries.last {
            precondition(last.sequence < sequence, "frames of a segment are noted in order")
            guard offset - last.offset >= InvalidationLimits.indexSpacingBytes else { return }
        }
        entries.append(Entry(sequence: sequence, offset: offset))
    }

    /// Where a frame begins that is not behind that of `sequence`, the nearest that is known;
    /// `nil` where `sequence` lies before all of them.
    ///
    /// - Complexity: O(log entries).
    package func offset(atOrBefore sequence: SequenceNumber) -> Int? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : entries[low - 1].offset
    }
}
