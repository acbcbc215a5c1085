import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// RESUME: the records after a mark, a bounded number per turn.
extension PublisherMind {
    mutating func takeResume(
        _ message: MessageView, from asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        let resume = try Resume(decoding: message.body)
        if resume.incarnation != .none {
            guard let run = grants.run(of: resume.incarnation) else {
                return refuse(asker, .notRegistered, Self.strangerSentence, into: &actions)
            }
            guard isBelievable(resume.after) else {
                return refuse(asker, .outOfRange, Self.wildEpochSentence, into: &actions)
            }
            let claimed = resume.log == .none ? nil : resume.log
            _ = hear(run, resume.after, of: claimed, now: now)
            let sent = ReplaySent(peer: asker.peer, after: resume.after)
            guard replaysSent.insert(sent).inserted else { return }
        }
        guard isStanding else {
            // A node asks again with the first heartbeat; an observer does not.
            guard resume.incarnation == .none else { return }
            let sentence = whyNotStanding + "; try again"
            return refuse(asker, .busy, sentence, into: &actions)
        }
        if replays.isEmpty, replayBytesLeft > 0 {
            return answer(resume, to: asker, into: &actions)
        }
        let question = ReplayQueue<Asker>.Question(
            peer: asker.peer, requestID: asker.requestID, principal: asker.principal)
        let hasRoom = replays.add(
            asker, question, resume, countMax: budgets.waitingMax(of: asker.principal))
        if !hasRoom, resume.incarnation == .none {
            refuse(asker, .busy, "too many wait for a replay; try again", into: &actions)
        }
    }

    /// Answers the waiting requests within this turn's budget, and renews the budget for the next
    /// turn.
    mutating func answerReplays(into actions: inout [PublisherAction]) {
        while isStanding, replayBytesLeft > 0, let (asker, resume) = replays.next() {
            answer(resume, to: asker, into: &actions)
        }
        replayBytesLeft = PublisherLimits.replayTurnBytesMax
    }

    private mutating func answer(
        _ resume: Resume, to asker: Asker, into actions: inout [PublisherAction]
    ) {
        guard let records = recordsAsked(by: resume) else {
            statistics.truncations += 1
            let truncated = Truncated(log: log.id, head: log.head, tail: log.tail)
            return reply(to: asker, into: &actions) {
                truncated.encode(requestID: asker.requestID, into: &$0)
            }
        }
        statistics.replays += 1
        statistics.replayedRecords += UInt64(records.count)
        let run = RecordRun(records: records, head: log.head)
        replayBytesLeft -= records.reduce(0) { $0 + $1.bytes.count }
        reply(to: asker, into: &actions) { run.encode(requestID: asker.requestID, into: &$0) }
    }

    /// The records after the mark, as many as fit into one REPLAY; `nil` if the mark is not the
    /// log's, or the records after it are no longer kept.
    private func recordsAsked(by resume: Resume) -> [SealedRecord]? {
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
        let room = PublisherLimits.replayBytesMax
        return Array(records.prefix(Self.prefix(of: records[...], thatFits: room)))
    }
}
