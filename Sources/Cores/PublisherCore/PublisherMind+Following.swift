import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// FOLLOW: the visible records of the log, as soon as there are some. docs/decisions/0058 gives the
/// reasons.
extension PublisherMind {
    mutating func takeFollow(
        _ message: MessageView, from requester: Requester, now: Instant
    ) throws(WireRefusal) {
        if let sender, !sender.mayWatch {
            throw WireRefusal(.unauthorised, AccessDenial.watch)
        }
        let follow = try FollowRequest(decoding: message.body)
        guard isStanding else {
            let sentence = whyNotStanding + "; try again"
            return output.refuse(requester, .busy, sentence)
        }
        let view = FollowView(sender)
        guard !follow.isFromHead else {
            return tell(requester, view, upTo: log.head)
        }
        guard let after = place(of: follow.after) else {
            return tellLost(requester, view)
        }
        let milliseconds = min(
            follow.holdMilliseconds, message.fields.deadlineMilliseconds ?? .max)
        let hold = min(.milliseconds(Int64(milliseconds)), PublisherLimits.followHoldMax)
        let waiter = FollowBook.Waiter(
            after: after, limit: follow.limit, deadline: now.advanced(by: hold),
            holder: FollowBook.Holder(key: sender?.key), principal: requester.principal,
            party: requester.party)
        guard follows.add(requester.place, waiter, seeing: view) else {
            return output.refuse(requester, .busy, "too many follow the log already")
        }
    }

    /// Applies a new access table to the waiting requests.
    mutating func holdFollowers(against table: AccessTable) {
        guard !follows.isEmpty else { return }
        follows.change(to: table.entries(holding: follows.keys))
    }

    /// When the waiting requests must be handled again.
    var followsDue: Instant? {
        isStanding && follows.isBehind(log.head) ? turnEndedAt : follows.nextEnd
    }

    /// Answers the requests that have a visible record or passed their deadline, a bounded number
    /// of them. Costs nothing if no request waits.
    mutating func answerFollows(now: Instant) {
        guard !follows.isEmpty else { return }
        for (place, waiter) in follows.takeRevoked() {
            output.statistics.denied += 1
            noteDenial(
                of: .follow, by: waiter.party, "\(AccessDenial.watch)", now: now)
            let sentence = "your key may not follow invalidations any more"
            output.refuse(Requester(place, waiter), .unauthorised, sentence)
        }
        guard isStanding else {
            for late in follows.takeOverdue(at: now) {
                let sentence = whyNotStanding + "; try again"
                output.refuse(Requester(late.place, late.waiter), .busy, sentence)
            }
            return
        }
        var turn = FollowTurn()
        while turn.hasRoom, let holder = follows.nextUnjudged(upTo: log.head) {
            judge(holder, &turn)
        }
        while turn.hasRoom, let place = follows.nextDue() {
            answer(place, &turn, now: now)
        }
        for late in follows.takeOverdue(at: now) {
            tell(Requester(late.place, late.waiter), late.view, upTo: late.after)
        }
    }
}

// MARK: Judging and reading

extension PublisherMind {
    /// Looks for the first new record that is visible to the requests of one key.
    private mutating func judge(_ holder: FollowBook.Holder, _ turn: inout FollowTurn) {
        guard let group = follows.group(of: holder) else { return }
        var mark = group.judged
        guard let records = turn.records(after: mark, in: log) else {
            return follows.wake(holder, after: mark)
        }
        for sealed in records {
            turn.workLeft -= group.view.work(on: sealed.record)
            guard !group.view.sees(sealed.record) else {
                return follows.wake(holder, after: mark)
            }
            mark = sealed.mark
        }
        follows.judge(holder, upTo: mark, of: log.head)
    }

    /// Reads the log for one request, and answers it if there is a visible record, or if its
    /// deadline has passed.
    private mutating func answer(
        _ place: FollowBook.Place, _ turn: inout FollowTurn, now: Instant
    ) {
        guard let waiter = follows[place], let group = follows.group(of: waiter.holder)
        else { return }
        if let known = turn.answer, known.isFor(waiter) {
            return send(known, to: Requester(place, waiter), &turn)
        }
        guard let records = turn.records(after: waiter.after, in: log) else {
            follows.remove(place)
            return tellLost(Requester(place, waiter), group.view)
        }
        let found = shown(records, to: group.view, waiter, &turn)
        guard found.records.isEmpty else {
            let answer = encoded(found, for: waiter)
            turn.answer = answer
            return send(answer, to: Requester(place, waiter), &turn)
        }
        let mark = records.last?.mark ?? waiter.after
        if waiter.deadline <= now {
            follows.remove(place)
            tell(Requester(place, waiter), group.view, upTo: mark)
        } else if mark == log.head {
            follows.rest(place, at: mark)
        } else {
            follows.delay(place, after: mark)
        }
    }

    /// As many of the visible records as fit into one answer.
    private func shown(
        _ records: [SealedRecord], to view: FollowView, _ waiter: FollowBook.Waiter,
        _ turn: inout FollowTurn
    ) -> Followed {
        var followed = Followed(through: sealed(waiter.after), head: log.head.position)
        followed.isPart = view.isPart
        var through = waiter.after
        var bytes = 0
        for sealed in records {
            turn.workLeft -= view.work(on: sealed.record)
            if let record = view.shown(sealed.record) {
                bytes += Followed.bytesMax(of: record)
                guard followed.records.isEmpty || bytes <= PublisherLimits.followBytesMax,
                    followed.records.count < waiter.limit
                else { break }
                followed.records.append(record)
            }
            through = sealed.mark
        }
        followed.through = sealed(through)
        return followed
    }
}

// MARK: Answering

extension PublisherMind {
    private mutating func encoded(
        _ followed: Followed, for waiter: FollowBook.Waiter
    ) -> FollowTurn.Answer {
        let frame = output.encoded { followed.encode(requestID: 0, into: &$0) }
        return FollowTurn.Answer(
            holder: waiter.holder, after: waiter.after, limit: waiter.limit, frame: frame,
            recordCount: followed.records.count)
    }

    private mutating func send(
        _ answer: FollowTurn.Answer, to requester: Requester, _ turn: inout FollowTurn
    ) {
        follows.remove(requester.place)
        output.statistics.followAnswers += 1
        output.statistics.followedRecords += UInt64(answer.recordCount)
        turn.bytesLeft -= answer.frame.count
        var frame = answer.frame
        MessageHeader.set(requestID: requester.requestID, in: &frame)
        output.actions.append(.reply(requester.peer, frame, of: requester.principal))
    }

    /// Answers that no record is visible up to this mark.
    private mutating func tell(
        _ requester: Requester, _ view: FollowView, upTo mark: LogMark
    ) {
        guard log.standing(of: mark) == .ofTheLog else {
            return tellLost(requester, view)
        }
        var followed = Followed(through: sealed(mark), head: log.head.position)
        followed.isPart = view.isPart
        reply(followed, to: requester)
    }

    private mutating func tellLost(
        _ requester: Requester, _ view: FollowView
    ) {
        output.statistics.truncations += 1
        var followed = Followed(through: sealed(log.head), head: log.head.position)
        followed.isPart = view.isPart
        followed.isLost = true
        reply(followed, to: requester)
    }

    private mutating func reply(
        _ followed: Followed, to requester: Requester
    ) {
        output.statistics.followAnswers += 1
        output.reply(to: requester) {
            followed.encode(requestID: requester.requestID, into: &$0)
        }
    }

    /// The mark as sent to clients, which may not know the log's digests: a hash replaces the
    /// digest, and only a holder of the log's id can compute it.
    private func sealed(_ mark: LogMark) -> LogMark {
        let seal = withUnsafeBytes(of: mark.digest.rawValue.littleEndian) {
            StableHash.hash($0, seed: log.id.rawValue)
        }
        return LogMark(position: mark.position, digest: LogDigest(seal))
    }

    /// The log's own mark for a sealed one; `nil` if it is not of this log, or no longer known.
    private func place(of told: LogMark) -> LogMark? {
        var position = told.position
        // A client that knows no log starts at its beginning.
        if told == .none { position.epoch = log.head.position.epoch }
        guard position.epoch == log.head.position.epoch, position <= log.head.position,
            let digest = log.digest(at: position.sequence)
        else { return nil }
        let mark = LogMark(position: position, digest: digest)
        let isAny = told.digest == LogDigest(0)
        return isAny || sealed(mark) == told ? mark : nil
    }
}

extension Requester {
    fileprivate init(_ place: FollowBook.Place, _ waiter: FollowBook.Waiter) {
        self.init(
            peer: place.peer, requestID: place.requestID, principal: waiter.principal,
            party: waiter.party)
    }

    fileprivate var place: FollowBook.Place {
        FollowBook.Place(peer: peer, requestID: requestID)
    }
}
