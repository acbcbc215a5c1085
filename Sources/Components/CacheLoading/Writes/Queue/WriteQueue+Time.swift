package import CacheModel
import HeapModule

extension WriteQueue {
    /// When to call `timeIsUp`; `nil`: nothing waits for a time.
    ///
    /// - Complexity: O(namespaces).
    package var nextDeadline: Instant? {
        let rests = namespaces.values.compactMap { replay in
            replay.tryingCount == 0 && replay.hasReady ? replay.restsUntil : nil
        }
        return (rests + [owingUntil, journal.retryAt].compactMap(\.self)).min()
    }

    /// Retries origins after their rest, and the publisher.
    package mutating func timeIsUp(now: Instant, into actions: inout [Action]) {
        for namespace in namespaces.keys.sorted(by: { $0.name < $1.name }) {
            replay(namespace, now: now, into: &actions)
        }
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
