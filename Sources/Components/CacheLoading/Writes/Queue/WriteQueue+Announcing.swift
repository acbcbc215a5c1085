package import CacheModel
import HeapModule

extension WriteQueue {
    mutating func announce(
        _ number: WriteNumber, _ end: QueuedWrite.End, into actions: inout [Action]
    ) {
        guard let write = writes[number] else { return }
        writes[number]?.course = .announcing(end)
        actions.append(.publish(number, write.content.line))
    }

    /// The publisher has published a change at that position; `nil`: it could not be reached, or
    /// the outcome is unknown.
    package mutating func published(
        _ number: WriteNumber, at position: LogPosition?, now: Instant,
        into actions: inout [Action]
    ) {
        guard let write = writes[number], case .announcing(let end) = write.course else { return }
        if let position {
            announced(number, end, at: position, now: now, into: &actions)
        } else {
            writes[number]?.course = .owing(end)
            owing.insert(number)
            if owingUntil == nil { owingUntil = now.advanced(by: WriteLimits.announceRest) }
            // The origin has the write, and this node must publish the invalidation: that
            // obligation must be durable.
            if write.isDirect, write.ticket != nil {
                keepPassing(write.content.line, now: now, into: &actions)
            }
        }
        checkInvariants()
    }

    private mutating func announced(
        _ number: WriteNumber, _ end: QueuedWrite.End, at position: LogPosition, now: Instant,
        into actions: inout [Action]
    ) {
        guard let write = writes[number] else { return }
        let line = write.content.line
        if let ticket = write.ticket {
            // Also a write with an unanswered journal order.
            statistics.direct += 1
            actions.append(.answer(ticket, .taken(position)))
        }
        if held[line] != nil { held[line] = max(held[line] ?? .none, position) }
        ended.note(write, at: position)
        switch end {
        case .taken:
            leave(number, now: now, into: &actions)
            guard !write.isDirect else { return }
            statistics.replayed += write.ticket == nil ? 1 : 0
            note([.done(number)], of: [], into: &actions)
        case .rejected(let rejection):
            reject(number, rejection, now: now, into: &actions)
            note([.rejected(number, rejection)], of: [], into: &actions)
        }
    }

    /// Sets a write aside for the operator. It no longer blocks its key.
    mutating func reject(
        _ number: WriteNumber, _ rejection: WriteRejection, now: Instant,
        into actions: inout [Action]
    ) {
        guard let line = setRejected(number, rejection) else { return }
        step(out: number, of: line, now: now, into: &actions)
    }

    /// Its key has it still.
    ///
    /// - Returns: the key; `nil` if there is no such write.
    mutating func setRejected(_ number: WriteNumber, _ rejection: WriteRejection) -> WriteLine? {
        guard var write = remove(number) else { return nil }
        write.course = .waiting
        write.keeping = .durable
        write.rejectedBefore = nil
        rejected[number] = RejectedWrite(write: write, rejection: rejection)
        return write.content.line
    }

    mutating func hold(_ line: WriteLine, into actions: inout [Action]) {
        held[line] = held[line] ?? LogPosition.none
        actions.append(.hold(line))
    }

    /// Releases a key to the shards if none of its accepted writes is left.
    mutating func releaseIfDone(_ line: WriteLine, into actions: inout [Action]) {
        guard let position = held[line] else { return }
        let isLeft = lanes[line]?.contains { writes[$0]?.isDirect == false } ?? false
        guard !isLeft else { return }
        held[line] = nil
        actions.append(.release(line, at: position))
    }
}

extension WriteQueue {
    /// When to call `timeIsUp`; `nil`: nothing waits for a time.
    ///
    /// - Complexity: O(namespaces).
    package var nextDeadline: Instant? {
        let rests = namespaces.values.compactMap { replay in
            replay.tryingCount == 0 && replay.hasReady ? replay.restsUntil : nil
        }
        return (rests + [owingUntil, journal.retryAt, forwarding.nextDue].compactMap(\.self)).min()
    }

    /// Retries origins after their rest, and the publisher.
    package mutating func timeIsUp(now: Instant, into actions: inout [Action]) {
        for namespace in namespaces.keys.sorted(by: { $0.name < $1.name }) {
            replay(namespace, now: now, into: &actions)
        }
        forwardAll(now: now, into: &actions)
        tryJournal(now: now, into: &actions)
        if let due = owingUntil, due <= now { announceAgain(now: now, into: &actions) }
        checkInvariants()
    }

    private mutating func announceAgain(now: Instant, into actions: inout [Action]) {
        var left = WriteLimits.announcesMax
        while left > 0, let number = owing.popMin() {
            left -= 1
            guard let write = writes[number], case .owing(let end) = write.course else { continue }
            announce(number, end, into: &actions)
        }
        owingUntil = owing.isEmpty ? nil : now.advanced(by: WriteLimits.announceRest)
    }

    /// Namespaces may have other origins now: rests because of the old ones end.
    package mutating func originsChanged(now: Instant, into actions: inout [Action]) {
        for namespace in namespaces.keys.sorted(by: { $0.name < $1.name }) {
            namespaces[namespace]?.endRest(now: now)
            replay(namespace, now: now, into: &actions)
        }
    }
}
