import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// FOLLOW: the visible records of the log, as soon as there are some. docs/decisions/0058 gives the
/// reasons.
extension FollowTable {
    /// FOLLOW: answers at once, or lets the request wait.
    mutating func receive(
        _ message: IncomingMessage, log: some InvalidationLog,
        output: inout PublisherOutput
    ) throws(WireRefusal) {
        if let entry = message.entry, !entry.mayWatch {
            throw WireRefusal(.unauthorised, AccessDenial.watch)
        }
        let follow = try FollowRequest(decoding: message.view.body)
        let requester = message.requester
        guard log.isStanding else {
            return output.refuse(requester, .busy, log.whyNotStanding + "; try again")
        }
        let view = FollowView(message.entry)
        guard !follow.isFromHead else {
            return output.reply(view.nothing(upTo: log.head, in: log), to: requester)
        }
        guard let after = log.mark(unsealing: follow.after) else {
            return output.reply(view.lost(in: log), to: requester)
        }
        let milliseconds = min(
            follow.holdMilliseconds, message.fields.deadlineMilliseconds ?? .max)
        let hold = min(.milliseconds(Int64(milliseconds)), PublisherLimits.followHoldMax)
        let waiter = Waiter(
            after: after, limit: follow.limit, deadline: message.now.advanced(by: hold),
            holder: Holder(key: message.entry?.key), principal: requester.principal,
            party: requester.party)
        let place = Place(peer: requester.peer, requestID: requester.requestID)
        guard add(place, waiter, seeing: view) else {
            return output.refuse(requester, .busy, "too many follow the log already")
        }
    }

    /// When the waiting requests must be handled again; `nil` if none waits.
    func nextDue(log: some InvalidationLog, turnEndedAt: Instant) -> Instant? {
        log.isStanding && isBehind(log.head) ? turnEndedAt : nextEnd
    }

    /// Answers the requests that have a visible record or passed their deadline, a bounded number
    /// of them. Costs nothing if no request waits.
    mutating func serve(
        from log: some InvalidationLog, now: Instant, output: inout PublisherOutput
    ) {
        guard !isEmpty else { return }
        guard log.isStanding else {
            for late in takeOverdue(at: now) {
                let sentence = log.whyNotStanding + "; try again"
                output.refuse(Requester(late.place, late.waiter), .busy, sentence)
            }
            return
        }
        var turn = FollowTurn()
        while turn.hasRoom, let holder = nextUnjudged(upTo: log.head) {
            judge(holder, &turn, log: log)
        }
        while turn.hasRoom, let place = nextDue() {
            answer(place, &turn, log: log, now: now, output: &output)
        }
        for late in takeOverdue(at: now) {
            output.reply(
                late.view.nothing(upTo: late.after, in: log),
                to: Requester(late.place, late.waiter))
        }
    }
}

// MARK: Judging and reading

extension FollowTable {
    /// Looks for the first new record that is visible to the requests of one key.
    private mutating func judge(
        _ holder: Holder, _ turn: inout FollowTurn, log: some InvalidationLog
    ) {
        guard let group = group(of: holder) else { return }
        var mark = group.judged
        guard let records = turn.records(after: mark, in: log) else {
            return wake(holder, after: mark)
        }
        for sealed in records {
            turn.workLeft -= group.view.work(on: sealed.record)
            guard !group.view.sees(sealed.record) else { return wake(holder, after: mark) }
            mark = sealed.mark
        }
        judge(holder, upTo: mark, of: log.head)
    }

    /// Reads the log for one request, and answers it if there is a visible record, or if its
    /// deadline has passed.
    private mutating func answer(
        _ place: Place, _ turn: inout FollowTurn, log: some InvalidationLog,
        now: Instant, output: inout PublisherOutput
    ) {
        guard let waiter = self[place], let group = group(of: waiter.holder) else { return }
        let requester = Requester(place, waiter)
        if let known = turn.answer, known.isFor(waiter) {
            remove(place)
            return turn.send(known, to: requester, output: &output)
        }
        guard let records = turn.records(after: waiter.after, in: log) else {
            remove(place)
            return output.reply(group.view.lost(in: log), to: requester)
        }
        let found = group.view.answer(of: records, to: waiter, &turn, in: log)
        guard found.records.isEmpty else {
            let frame = output.encoded { found.encode(requestID: 0, into: &$0) }
            let answer = FollowTurn.Answer(
                holder: waiter.holder, after: waiter.after, limit: waiter.limit, frame: frame,
                recordCount: found.records.count)
            turn.answer = answer
            remove(place)
            return turn.send(answer, to: requester, output: &output)
        }
        let mark = records.last?.mark ?? waiter.after
        if waiter.deadline <= now {
            remove(place)
            output.reply(group.view.nothing(upTo: mark, in: log), to: requester)
        } else if mark == log.head {
            rest(place, at: mark)
        } else {
            delay(place, after: mark)
        }
    }
}

// MARK: Answers

extension FollowView {
    /// As many of the visible records as fit into one answer.
    fileprivate func answer(
        of records: [SealedRecord], to waiter: FollowTable.Waiter, _ turn: inout FollowTurn,
        in log: some InvalidationLog
    ) -> Followed {
        var followed = answer(through: waiter.after, in: log)
        var through = waiter.after
        var bytes = 0
        for sealed in records {
            turn.workLeft -= work(on: sealed.record)
            if let record = shown(sealed.record) {
                bytes += Followed.bytesMax(of: record)
                guard followed.records.isEmpty || bytes <= PublisherLimits.followBytesMax,
                    followed.records.count < waiter.limit
                else { break }
                followed.records.append(record)
            }
            through = sealed.mark
        }
        followed.through = log.seal(through)
        return followed
    }

    /// No record is visible up to this mark.
    fileprivate func nothing(upTo mark: LogMark, in log: some InvalidationLog) -> Followed {
        log.standing(of: mark) == .ofTheLog ? answer(through: mark, in: log) : lost(in: log)
    }

    /// Records that the client has not seen may be lost.
    fileprivate func lost(in log: some InvalidationLog) -> Followed {
        var followed = answer(through: log.head, in: log)
        followed.isLost = true
        return followed
    }

    private func answer(through mark: LogMark, in log: some InvalidationLog) -> Followed {
        var followed = Followed(through: log.seal(mark), head: log.head.position)
        followed.isPart = isPart
        return followed
    }
}

extension PublisherOutput {
    fileprivate mutating func reply(_ followed: Followed, to requester: Requester) {
        if followed.isLost { statistics.truncations += 1 }
        statistics.followAnswers += 1
        reply(to: requester) { followed.encode(requestID: requester.requestID, into: &$0) }
    }
}

extension FollowTurn {
    fileprivate mutating func send(
        _ answer: Answer, to requester: Requester, output: inout PublisherOutput
    ) {
        output.statistics.followAnswers += 1
        output.statistics.followedRecords += UInt64(answer.recordCount)
        bytesLeft -= answer.frame.count
        var frame = answer.frame
        MessageHeader.set(requestID: requester.requestID, in: &frame)
        output.actions.append(.reply(requester.peer, frame, of: requester.principal))
    }
}

extension InvalidationLog {
    /// The mark as sent to clients, which may not know the log's digests: a hash replaces the
    /// digest, and only a holder of the log's id can compute it.
    fileprivate func seal(_ mark: LogMark) -> LogMark {
        let seal = withUnsafeBytes(of: mark.digest.rawValue.littleEndian) {
            StableHash.hash($0, seed: id.rawValue)
        }
        return LogMark(position: mark.position, digest: LogDigest(seal))
    }

    /// The log's own mark for a sealed one; `nil` if it is not of this log, or no longer known.
    fileprivate func mark(unsealing told: LogMark) -> LogMark? {
        var position = told.position
        // A client that knows no log starts at its beginning.
        if told == .none { position.epoch = head.position.epoch }
        guard position.epoch == head.position.epoch, position <= head.position,
            let digest = digest(at: position.sequence)
        else { return nil }
        let mark = LogMark(position: position, digest: digest)
        let isAny = told.digest == LogDigest(0)
        return isAny || seal(mark) == told ? mark : nil
    }
}

extension Requester {
    init(_ place: FollowTable.Place, _ waiter: FollowTable.Waiter) {
        self.init(
            peer: place.peer, requestID: place.requestID, principal: waiter.principal,
            party: waiter.party)
    }
}
