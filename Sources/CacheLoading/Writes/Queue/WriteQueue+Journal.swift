package import CacheModel

/// What is written down, and when it lasts.
extension WriteQueue {
    /// Has everything of a key written down that its clients still wait for.
    mutating func keepPassing(
        _ line: WriteLine, now: Instant, into actions: inout [Action]
    ) {
        let passing = lanes[line]?.all.filter { writes[$0]?.isDirect == true } ?? []
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
            writes[number].map { JournalRecord.queued(number, $0.content, at: $0.askedAt) } ?? []
        }
        note(records, of: numbers, into: &actions)
    }

    /// Hands records to the journal; all that counts, if it is better written anew. A journal that
    /// rests is written anew after it.
    ///
    /// - Precondition: no write waits for one that rests.
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
                .journal(JournalOrder(number: number, isWhole: false, records: records)))
        }
        let all = liveRecords
        journal.fileBytes = all.reduce(JournalFormat.headerBytes) { $0 + $1.bytes }
        journal.takesDescribed = all.contains(where: \.isDescribed)
        journal.isBroken = false
        journal.noteWhole(number)
        actions.append(.journal(JournalOrder(number: number, isWhole: true, records: all)))
    }

    /// Everything that a restart must know of.
    ///
    /// - Complexity: O(n log n) for n writes.
    private var liveRecords: [JournalRecord] {
        var records: [(WriteNumber, [JournalRecord])] = []
        for (number, write) in writes where !write.isDirect {
            records.append((number, JournalRecord.queued(number, write.content, at: write.askedAt)))
        }
        for (number, kept) in rejected {
            records.append(
                (
                    number,
                    JournalRecord.queued(number, kept.write.content, at: kept.write.askedAt)
                        + [.rejected(number, kept.rejection)]
                ))
        }
        return records.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }

    /// The journal has carried an order out, or not. Orders end in their order.
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
            // Another that replaces all is begun at once only where this one may hold what its
            // askers are told is not kept. Else it is tried after a while, though no write comes.
            if waiting.isEmpty { journal.rest(from: now) }
            giveUp(waiting, now: now, into: &actions)
            // A file that was begun meanwhile may hold them.
            if !waiting.isEmpty { note(waiting.map { .done($0) }, of: [], into: &actions) }
        }
        checkInvariants()
    }

    /// The journal has rested: whether it takes anything is found out by writing it anew.
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
        // Said for each: loads that began before answer by an older one.
        hold(write.content.line, into: &actions)
        if let ticket = write.ticket { actions.append(.answer(ticket, .queued)) }
        if lanes[write.content.line]?.first == number {
            advance(write.content.line, now: now, into: &actions)
        }
    }

    /// What nobody was told of does not wait. What the origin has is told of all the same, and what
    /// it had rejected is so again.
    private mutating func giveUp(
        _ numbers: [WriteNumber], now: Instant, into actions: inout [Action]
    ) {
        // The last first: nobody gets the turn of one that goes, too.
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
