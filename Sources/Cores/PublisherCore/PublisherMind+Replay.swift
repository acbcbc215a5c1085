import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// RESUME: the records after a mark, a bounded number per turn.
extension PublisherMind {
    mutating func takeResume(
        _ message: MessageView, from requester: Requester, now: Instant
    ) throws(WireRefusal) {
        let resume = try Resume(decoding: message.body)
        if resume.incarnation != .none {
            guard let run = grants.run(of: resume.incarnation) else {
                return output.refuse(requester, .notRegistered, Self.strangerSentence)
            }
            guard isBelievable(resume.after) else {
                return output.refuse(requester, .outOfRange, Self.wildEpochSentence)
            }
            let claimed = resume.log == .none ? nil : resume.log
            _ = hear(run, resume.after, of: claimed, now: now)
            let sent = ReplaySent(peer: requester.peer, after: resume.after)
            guard replaysSent.insert(sent).inserted else { return }
        }
        guard isStanding else {
            // A node asks again with the first heartbeat; an observer does not.
            guard resume.incarnation == .none else { return }
            let sentence = whyNotStanding + "; try again"
            return output.refuse(requester, .busy, sentence)
        }
        if replays.isEmpty, replayBytesLeft > 0 {
            return answer(resume, to: requester)
        }
        let question = ReplayQueue<Requester>.Question(
            peer: requester.peer, requestID: requester.requestID, principal: requester.principal)
        let hasRoom = replays.add(
            requester, question, resume, countMax: budgets.waitingMax(of: requester.principal))
        if !hasRoom, resume.incarnation == .none {
            output.refuse(requester, .busy, "too many wait for a replay; try again")
        }
    }

    /// Answers the waiting requests within this turn's budget, and renews the budget for the next
    /// turn.
    mutating func answerReplays() {
        while isStanding, replayBytesLeft > 0, let (requester, resume) = replays.next() {
            answer(resume, to: requester)
        }
        replayBytesLeft = PublisherLimits.replayTurnBytesMax
    }

    private mutating func answer(
        _ resume: Resume, to requester: Requester
    ) {
        guard let records = recordsAsked(by: resume) else {
            output.statistics.truncations += 1
            let truncated = Truncated(log: log.id, head: log.head, tail: log.tail)
            return output.reply(to: requester) {
                truncated.encode(requestID: requester.requestID, into: &$0)
            }
        }
        output.statistics.replays += 1
        output.statistics.replayedRecords += UInt64(records.count)
        let run = RecordRun(records: records, head: log.head)
        replayBytesLeft -= records.reduce(0) { $0 + $1.bytes.count }
        output.reply(to: requester) { run.encode(requestID: requester.requestID, into: &$0) }
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
