package import CacheModel

/// What operators see and order.
extension WriteQueue {
    /// One write as it stands.
    package struct Listed: Equatable, Sendable {
        package var number: WriteNumber
        package var write: OriginWrite
        /// Wall time of when it was asked for, in milliseconds since 1970.
        package var askedAt: UInt64
        package var attemptCount: Int
        package var lastFailure: LoadFailure?
        /// `nil`: it waits.
        package var rejection: WriteRejection?
    }

    /// What is accepted and not over, and what was rejected.
    package var depth: (waiting: Int, rejected: Int) {
        (writes.count - directCount, rejected.count)
    }

    /// Everything that is accepted, by number.
    ///
    /// - Complexity: O(n log n).
    package var listing: [Listed] {
        let waiting = writes.filter { !$0.value.isDirect }.map { number, write in
            Listed(
                number: number, write: write.content, askedAt: write.askedAt,
                attemptCount: write.attemptCount, lastFailure: write.lastFailure)
        }
        let refused = rejected.map { number, kept in
            Listed(
                number: number, write: kept.write.content, askedAt: kept.write.askedAt,
                attemptCount: kept.write.attemptCount, lastFailure: kept.write.lastFailure,
                rejection: kept.rejection)
        }
        return (waiting + refused).sorted { $0.number < $1.number }
    }

    /// Forgets rejected writes.
    ///
    /// - Parameter isChosen: of which keys.
    /// - Returns: how many.
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

    /// Has rejected writes tried again, behind what their keys have since then, under new names:
    /// an origin may remember the old ones, and what it said to them. One that the journal does not
    /// take is rejected as before.
    ///
    /// - Parameters:
    ///   - isChosen: of which keys.
    ///   - named: a new name for the write of a number, different from all other names.
    /// - Returns: how many.
    package mutating func retry(
        where isChosen: (WriteLine) -> Bool, named: (UInt64) -> OperationID, now: Instant,
        into actions: inout [Action]
    ) -> Int {
        // What the journal does not take stays rejected.
        guard !journal.isResting else { return 0 }
        let chosen = chosen(isChosen)
        for number in chosen {
            guard let kept = rejected.removeValue(forKey: number) else { continue }
            bytes -= kept.write.content.costBytes
            var content = kept.write.content
            content.name = named(last.rawValue + 1)
            let again = take(content, askedAt: kept.write.askedAt)
            writes[again]?.rejectedBefore = kept.rejection
            lanes[content.line, default: WriteLane()].append(again)
            // In this order: of an end that did not get to the disk, the old one is not missed.
            note(
                JournalRecord.queued(again, content, at: kept.write.askedAt) + [.done(number)],
                of: [again], into: &actions)
        }
        checkInvariants()
        return chosen.count
    }

    private func chosen(_ isChosen: (WriteLine) -> Bool) -> [WriteNumber] {
        rejected.filter { isChosen($0.value.write.content.line) }.keys.sorted()
    }
}
