import CacheInvalidation
import CacheModel
import CacheWire

/// Serves RESUME: the records after a mark, a bounded number of bytes per turn.
struct ReplayServer {
    private struct Sent: Hashable {
        let peer: PeerID
        let after: LogMark
    }

    /// The replays that were sent in this turn. A node asks again on each heartbeat, and a node
    /// that resumes after a pause has sent many requests: the same request is answered once per
    /// turn.
    private var sent: Set<Sent> = []
    /// The bytes of replays that this turn may still send.
    private var bytesLeft = PublisherLimits.replayTurnBytesMax
    /// The requests that wait for the next turn.
    private var waiting = ReplayQueue<Requester>()

    var isEmpty: Bool { waiting.isEmpty }

    /// A turn ends: the same requests are answered again in the next one.
    mutating func forgetSent() { sent.removeAll(keepingCapacity: true) }

    /// - Returns: whether the peer has not sent this request in this turn.
    mutating func isNew(_ resume: Resume, from peer: PeerID) -> Bool {
        sent.insert(Sent(peer: peer, after: resume.after)).inserted
    }

    /// Answers at once if no request waits, and otherwise queues the request.
    ///
    /// - Parameter countMax: maximum waiting requests of its principal; `nil`: half of the
    ///   capacity.
    mutating func receive(
        _ resume: Resume, from requester: Requester, countMax: Int?,
        log: some InvalidationLog, output: inout PublisherOutput
    ) {
        guard log.isStanding else {
            // A node asks again with the first heartbeat; an observer does not.
            guard resume.incarnation == .none else { return }
            return output.refuse(requester, .busy, log.whyNotStanding + "; try again")
        }
        if waiting.isEmpty, bytesLeft > 0 {
            return answer(resume, to: requester, from: log, output: &output)
        }
        let question = ReplayQueue<Requester>.Question(
            peer: requester.peer, requestID: requester.requestID, principal: requester.principal)
        let hasRoom = waiting.add(requester, question, resume, countMax: countMax)
        if !hasRoom, resume.incarnation == .none {
            output.refuse(requester, .busy, "too many wait for a replay; try again")
        }
    }

    /// Answers the waiting requests within this turn's budget, and renews the budget for the next
    /// turn.
    mutating func serve(from log: some InvalidationLog, output: inout PublisherOutput) {
        while log.isStanding, bytesLeft > 0, let (requester, resume) = waiting.next() {
            answer(resume, to: requester, from: log, output: &output)
        }
        bytesLeft = PublisherLimits.replayTurnBytesMax
    }

    private mutating func answer(
        _ resume: Resume, to requester: Requester, from log: some InvalidationLog,
        output: inout PublisherOutput
    ) {
        guard let records = Self.records(askedBy: resume, in: log) else {
            output.statistics.truncations += 1
            let truncated = Truncated(log: log.id, head: log.head, tail: log.tail)
            return output.reply(to: requester) {
                truncated.encode(requestID: requester.requestID, into: &$0)
            }
        }
        output.statistics.replays += 1
        output.statistics.replayedRecords += UInt64(records.count)
        let run = RecordRun(records: records, head: log.head)
        bytesLeft -= records.reduce(0) { $0 + $1.bytes.count }
        output.reply(to: requester) { run.encode(requestID: requester.requestID, into: &$0) }
    }

    /// The records after the mark, as many as fit into one REPLAY; `nil` if the mark is not the
    /// log's, or the records after it are no longer kept.
    private static func records(
        askedBy resume: Resume, in log: some InvalidationLog
    ) -> [SealedRecord]? {
        guard resume.log == .none || resume.log == log.id else { return nil }
        var mark = resume.after
        // A client that knows no log starts at its beginning.
        if mark == .none { mark.position.epoch = log.head.position.epoch }
        // An observer may know a position without its digest, and a start at the beginning needs
        // none.
        if resume.incarnation == .none || mark.position.sequence == .none,
            mark.digest == LogDigest(0), mark.position.epoch == log.head.position.epoch,
            let digest = log.digest(at: mark.position.sequence)
        {
            mark.digest = digest
        }
        guard log.standing(of: mark) == .ofTheLog,
            let records = log.read(after: mark.position.sequence, limit: resume.limit)
        else { return nil }
        return Array(records[...].prefix(thatFits: PublisherLimits.replayBytesMax))
    }
}

extension ArraySlice<SealedRecord> {
    /// As many records as fit into a message of `bytesMax`: at least one.
    func prefix(thatFits bytesMax: Int) -> Self {
        var bytes = 1_024
        var count = 0
        for record in self {
            bytes += record.bytes.count
            guard count == 0 || bytes <= bytesMax && count < WireLimits.replayRecordsMax else {
                break
            }
            count += 1
        }
        return prefix(count)
    }
}
