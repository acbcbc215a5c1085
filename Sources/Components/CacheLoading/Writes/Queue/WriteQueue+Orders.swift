package import CacheModel
import DequeModule

extension WriteQueue {
    /// Number of accepted writes that are not over, and of rejected writes.
    package var depth: (waiting: Int, rejected: Int) {
        (writes.count - directCount, rejected.count)
    }

    /// All accepted and rejected writes, by number.
    ///
    /// - Complexity: O(n log n).
    package var listing: [ListedWrite] {
        let waiting = writes.filter { !$0.value.isDirect }.map { ListedWrite($0, $1, nil) }
        let refused = rejected.map { ListedWrite($0, $1.write, $1.rejection) }
        return (waiting + refused).sorted { $0.number < $1.number }
    }

    /// Drops rejected writes.
    ///
    /// - Parameter isChosen: selects keys.
    /// - Returns: the number dropped.
    package mutating func drop(
        where isChosen: (WriteLine) -> Bool, into actions: inout [Action]
    ) -> Int {
        let chosen = chosen(isChosen)
        for number in chosen {
            guard let kept = rejected.removeValue(forKey: number) else { continue }
            bytes -= kept.write.content.costBytes
        }
        if !chosen.isEmpty { note(chosen.map { .done($0) }, of: [], into: &actions) }
        checkInvariants()
        return chosen.count
    }

    /// Retries rejected writes. They are queued after newer writes of their keys, with new
    /// operation ids, because an origin may remember the old ones and its answers. A write that the
    /// journal does not accept stays rejected.
    ///
    /// - Parameters:
    ///   - isChosen: selects keys.
    ///   - named: a new operation id for the write of a number, different from all others.
    /// - Returns: the number retried.
    package mutating func retry(
        where isChosen: (WriteLine) -> Bool, named: (UInt64) -> OperationID, now: Instant,
        into actions: inout [Action]
    ) -> Int {
        // A write that the journal does not accept stays rejected.
        guard !journal.isResting else { return 0 }
        let chosen = chosen(isChosen)
        for number in chosen {
            guard let kept = rejected.removeValue(forKey: number) else { continue }
            bytes -= kept.write.content.costBytes
            var content = kept.write.content
            content.name = named(last.rawValue + 1)
            let again = take(content, askedAt: kept.write.askedAt)
            writes[again]?.rejectedBefore = kept.rejection
            writes[again]?.ownedSince = nil
            lanes[content.line, default: []].append(again)
            // In this order: if the end of the old write did not reach the disk, no write is lost.
            note(
                JournalRecord.queued(again, content, at: kept.write.askedAt, ownedSince: nil)
                    + [.done(number)],
                of: [again], into: &actions)
        }
        checkInvariants()
        return chosen.count
    }

    private func chosen(_ isChosen: (WriteLine) -> Bool) -> [WriteNumber] {
        rejected.filter { isChosen($0.value.write.content.line) }.keys.sorted()
    }
}

/// A write that was accepted and waits, or that was rejected since.
package struct ListedWrite: Equatable, Sendable {
    package var number: WriteNumber
    package var write: OriginWrite
    /// Wall time of the request, in milliseconds since 1970.
    package var askedAt: UInt64
    package var attemptCount: Int
    package var lastFailure: LoadFailure?
    /// `nil`: it waits.
    package var rejection: WriteRejection?
    /// As in ``RecoveredJournal/Entry/ownedSince``.
    package var ownedSince: LogPosition?

    init(_ number: WriteNumber, _ write: QueuedWrite, _ rejection: WriteRejection?) {
        self.number = number
        self.write = write.content
        askedAt = write.askedAt
        attemptCount = write.attemptCount
        lastFailure = write.lastFailure
        self.rejection = rejection
        ownedSince = write.ownedSince
    }
}
