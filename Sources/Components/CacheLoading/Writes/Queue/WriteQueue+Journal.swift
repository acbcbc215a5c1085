package import CacheModel

extension WriteQueue {
    /// Journals all writes of a key that clients still wait for.
    mutating func keepPassing(
        _ line: WriteLine, now: Instant, into actions: inout [Action]
    ) {
        let passing = lanes[line]?.filter { writes[$0]?.isDirect == true } ?? []
        keep(passing, now: now, into: &actions)
    }

    mutating func keep(
        _ numbers: [WriteNumber], now: Instant, into actions: inout [Action]
    ) {
        guard !numbers.isEmpty else { return }
        guard journal.isThere, !journal.isResting else {
            return giveUp(numbers, now: now, into: &actions)
        }
        let records = numbers.flatMap { number in
            writes[number].map {
                JournalRecord.queued(
                    number, $0.content, at: $0.askedAt, ownedSince: $0.ownedSince)
            } ?? []
        }
        note(records, of: numbers, into: &actions)
    }

    /// Passes records to the journal, or all live records if a new file is better. A resting
    /// journal is rewritten after its rest.
    ///
    /// - Precondition: no write waits for a resting journal.
    mutating func note(
        _ records: [JournalRecord], of numbers: [WriteNumber], into actions: inout [Action]
    ) {
        guard journal.isThere, !journal.isResting else { return }
        let number = journal.nextOrder()
        for write in numbers { set(.ordered(number), of: write) }
        if !numbers.isEmpty { journal.awaiting[number] = numbers }
        let added = records.reduce(0) { $0 + $1.bytes }
        let isDescribed = records.contains(where: \.isDescribed)
        guard
            journal.isWorthAnew(adding: added, liveBytes: bytes, isDescribed: isDescribed)
        else {
            journal.fileBytes += added
            return actions.append(
                .journal(Action.JournalOrder(number: number, isWhole: false, records: records)))
        }
        // All records that a restart needs.
        let all = listing.flatMap {
            JournalRecord.queued(
                $0.number, $0.write, at: $0.askedAt, ownedSince: $0.ownedSince, $0.rejection)
        }
        journal.fileBytes = all.reduce(JournalFormat.headerBytes) { $0 + $1.bytes }
        journal.takesDescribed = all.contains(where: \.isDescribed)
        journal.isBroken = false
        journal.noteWhole(number)
        actions.append(.journal(Action.JournalOrder(number: number, isWhole: true, records: all)))
    }

    /// The journal has completed an order, or failed. Orders end in their order.
    package mutating func journaled(
        _ order: UInt64, succeeded: Bool, now: Instant, into actions: inout [Action]
    ) {
        journal.ended(order, succeeded: succeeded)
        let waiting = (journal.awaiting.removeValue(forKey: order) ?? [])
            .filter { writes[$0]?.keeping == .ordered(order) }
        if succeeded {
            for number in waiting { kept(number, now: now, into: &actions) }
        } else {
            statistics.journalFailures += 1
            // Another replacing order is given at once only if this file may contain writes that
            // are reported as not kept. Otherwise it is retried later, even if no write arrives.
            if waiting.isEmpty { journal.rest(from: now) }
            giveUp(waiting, now: now, into: &actions)
            // A file begun meanwhile may contain them.
            if !waiting.isEmpty { note(waiting.map { .done($0) }, of: [], into: &actions) }
        }
        checkInvariants()
    }

    /// The journal's rest is over: a rewrite tests whether it accepts records.
    mutating func tryJournal(now: Instant, into actions: inout [Action]) {
        guard let end = journal.retryAt, end <= now else { return }
        journal.endRest()
        if journal.isBroken { note([], of: [], into: &actions) }
    }

    private mutating func kept(
        _ number: WriteNumber, now: Instant, into actions: inout [Action]
    ) {
        guard let write = writes[number] else { return }
        set(.durable, of: number)
        writes[number]?.ticket = nil
        writes[number]?.rejectedBefore = nil
        statistics.queued += 1
        // For each write: loads that began before would answer with an older one.
        hold(write.content.line, into: &actions)
        if let ticket = write.ticket { actions.append(.answer(ticket, .queued)) }
        if lanes[write.content.line]?.first == number {
            advance(write.content.line, now: now, into: &actions)
        }
    }

    /// Writes that were not sent do not wait. Writes that the origin has are still published, and
    /// writes that it had rejected are rejected again.
    private mutating func giveUp(
        _ numbers: [WriteNumber], now: Instant, into actions: inout [Action]
    ) {
        // The last first, so that no write of this list gets its turn.
        for number in numbers.reversed() {
            guard let write = writes[number] else { continue }
            if let ticket = write.ticket { actions.append(.answer(ticket, .unusable)) }
            writes[number]?.ticket = nil
            set(.memory, of: number)
            if let rejection = write.rejectedBefore {
                reject(number, rejection, now: now, into: &actions)
            } else if write.course == .waiting {
                leave(number, now: now, into: &actions)
            }
        }
    }
}
