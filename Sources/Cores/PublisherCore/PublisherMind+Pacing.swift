import CacheAccess
import CacheInvalidation
package import CacheModel
import CacheWire

/// PACE: paced invalidations. docs/decisions/0032 gives the reasons.
///
///     PACE ──▶ PacingBook ──▶ keep ──▶ kept ──▶ PACING REPORT
///                  │ due
///                  └──▶ queue ──▶ the turn's append ──▶ noteSlices
extension PublisherMind {
    mutating func takePace(_ message: IncomingMessage) throws(WireRefusal) {
        let now = message.now
        var requester = message.requester
        var request = try PaceRequest(decoding: message.view)
        // A cancel is checked against its pacing's scopes later: only a client that may invalidate
        // those learns whether it runs.
        try message.authorise(request.scopes)
        requester.party?.claim = request.issuer
        request.issuer = message.issuer(request.issuer)
        switch request.order {
        case .list:
            // A client sees only the pacings that it may order itself.
            let visible = pacings.all.filter { message.mayInvalidate($0.request.scopes) }
            report(visible, to: requester, now: now)
        case .begin:
            try Self.check(request, bytes: message.view.body.count)
            begin(request, for: requester, now: now)
        case .cancel: cancel(request.id, message, for: requester)
        }
    }

    private mutating func begin(
        _ request: PaceRequest, for requester: Requester, now: Instant
    ) {
        guard hasRoomForPaceOrder(of: requester.principal) else {
            return output.refuse(requester, .busy, "too many orders wait for the disk")
        }
        switch pacings.begin(request, of: requester.principal, now: now) {
        case .begun(let id), .known(let id):
            let waiting = PaceKeeping.Waiting(requester: requester, id: id, isCancelling: false)
            // A running pacing is stored, whatever the result of this write.
            if pacings.pacing(id)?.isKept == true {
                answer([waiting], now: now)
            } else {
                keep(waiting, now: now)
            }
        case .full:
            let sentence =
                "\(PublisherLimits.pacingsMax) paced invalidations run already; wait for one "
                + "to end, or cancel one (martlet pacing)"
            output.refuse(requester, .busy, sentence)
        case .fullOfOneKey(let left):
            let sentence =
                "\(PublisherLimits.pacingsMax / 2) paced invalidations of your key run already, as "
                + "many as one key may have; the first of them ends in "
                + "\(left.wholeMilliseconds / 1_000) s, or cancel one (martlet pacing)"
            output.refuse(requester, .busy, sentence)
        }
    }

    private mutating func cancel(
        _ id: PacingID, _ message: IncomingMessage, for requester: Requester
    ) {
        let now = message.now
        guard hasRoomForPaceOrder(of: requester.principal) else {
            return output.refuse(requester, .busy, "too many orders wait for the disk")
        }
        let pacing = pacings.pacing(id)
        let isAllowed = pacing.map { message.mayInvalidate($0.request.scopes) } ?? true
        if !isAllowed {
            output.statistics.denied += 1
            admission.auditDenial(
                of: .pace, by: requester.party, "\(AccessDenial.invalidate)", now: now,
                to: &output)
        }
        guard isAllowed, pacing?.state == .cancelled || pacings.cancel(id) else {
            let sentence = "no paced invalidation of number \(id) is running that you may cancel"
            return output.refuse(requester, .outOfRange, sentence)
        }
        let waiting = PaceKeeping.Waiting(requester: requester, id: id, isCancelling: true)
        keep(waiting, now: now)
    }

    /// Whether one more order may wait for the disk; of one key, half of them.
    private func hasRoomForPaceOrder(of principal: PrincipalNumber) -> Bool {
        let waiting = paceKeeping.waiting
        guard principal != .unknown else { return waiting.count < PublisherLimits.paceAskersMax }
        return waiting.count < PublisherLimits.paceAskersMax
            && waiting.count { $0.requester.principal == principal }
                < PublisherLimits.paceAskersMax / 2
    }

    private static func check(_ request: PaceRequest, bytes: Int) throws(WireRefusal) {
        let span = Duration.milliseconds(Int64(request.spanMilliseconds))
        guard span >= PublisherLimits.paceSpanMin, span <= PublisherLimits.paceSpanMax else {
            throw WireRefusal(.outOfRange, "a pacing takes one second to seven days")
        }
        guard request.operation != .none else {
            throw WireRefusal(.malformed, "a pacing is named by an operation id")
        }
        guard bytes <= PublisherLimits.paceScopeBytesMax else {
            throw WireRefusal(.outOfRange, "the scopes of one pacing take at most 16384 bytes")
        }
        for scope in request.scopes {
            if case .key = scope.target {
                throw WireRefusal(.outOfRange, "a single key is not paced")
            }
            guard scope.hashRange == nil else {
                throw WireRefusal(.outOfRange, "a pacing chooses its ranges itself")
            }
        }
    }

    private mutating func report(
        _ some: [Pacing], to requester: Requester, now: Instant
    ) {
        let report = PacingReport(
            some.map { $0.line(isDurable: log.outlivesItsProcess, now: now) })
        output.reply(to: requester) { report.encode(requestID: requester.requestID, into: &$0) }
    }

    // MARK: Storing

    /// Answers once the order is stored: at once if nothing outlives the process.
    private mutating func keep(
        _ waiting: PaceKeeping.Waiting, now: Instant
    ) {
        guard log.outlivesItsProcess else {
            pacings.kept(through: waiting.id, now: now)
            return answer([waiting], now: now)
        }
        paceKeeping.waiting.append(waiting)
        paceKeeping.isUrgent = true
        paceKeeping.isDue = true
    }

    /// Requests to store the table if it has changed: at once if a client waits, otherwise at
    /// intervals.
    mutating func keepPacings(now: Instant) {
        guard let due = paceKeepingDue, due <= now else { return }
        paceKeeping.underWay = (paceKeeping.waiting, pacings.newest)
        paceKeeping.waiting = []
        paceKeeping.isDue = false
        paceKeeping.isUrgent = false
        paceKeeping.notBefore = now.advanced(by: PublisherLimits.paceNoteSpacing)
        output.actions.append(.keep(pacings.stored))
    }

    /// When the table must be stored again; `nil` while it is being stored, and if nothing is new.
    var paceKeepingDue: Instant? {
        guard paceKeeping.isDue, paceKeeping.underWay == nil, log.outlivesItsProcess else {
            return nil
        }
        return paceKeeping.isUrgent
            ? turnEndedAt : max(paceKeeping.notBefore ?? turnEndedAt, turnEndedAt)
    }

    /// The table was stored, or could not be.
    ///
    /// - Parameter trouble: the reason of a failure, as text for people.
    package mutating func kept(
        _ trouble: String?, now: Instant, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        guard let (waiting, newest) = paceKeeping.underWay else { return }
        paceKeeping.underWay = nil
        guard let trouble else {
            pacings.kept(through: newest, now: now)
            return answer(waiting, now: now)
        }
        // The stored table is older than the pacings that run, so it stays due.
        paceKeeping.isDue = true
        for one in waiting {
            let sentence: String
            if one.isCancelling {
                output.audit(.paceCancelled(one.id), by: one.requester.party)
                sentence =
                    "the invalidation was stopped, but that could not be recorded (\(trouble)): it "
                    + "continues if the publisher restarts before it is"
            } else {
                if pacings.pacing(one.id)?.isKept == false { pacings.withdraw(one.id) }
                sentence = Self.unkept(trouble)
            }
            output.refuse(one.requester, .unavailable, sentence)
        }
    }

    private static func unkept(_ trouble: String) -> String {
        "the order could not be kept: \(trouble); nothing was invalidated"
    }

    private mutating func answer(
        _ waiting: [PaceKeeping.Waiting], now: Instant
    ) {
        for one in waiting {
            guard let pacing = pacings.pacing(one.id) else {
                // Requested again during the first attempt, which failed.
                let sentence = Self.unkept("the attempt before it failed; ask again")
                output.refuse(one.requester, .unavailable, sentence)
                continue
            }
            note(one, pacing)
            report([pacing], to: one.requester, now: now)
        }
    }

    /// The publisher ends before it knows whether orders were stored.
    mutating func refusePaceOrders() {
        let waiting = (paceKeeping.underWay?.waiting ?? []) + paceKeeping.waiting
        for one in waiting {
            let sentence =
                "the publisher is stopping; whether the order was kept is shown by martlet pacing "
                + "once it runs again"
            output.refuse(one.requester, .unavailable, sentence)
        }
        paceKeeping = PaceKeeping()
    }

    /// The table to store at the end in place of the previous one; `nil` if it is stored.
    package var pacingsToKeep: [UInt8]? {
        log.outlivesItsProcess && (paceKeeping.isDue || paceKeeping.underWay != nil)
            ? pacings.stored : nil
    }

    /// Continues with the table that an earlier publisher stored.
    ///
    /// - Returns: how many pacings continue; `nil` if the bytes are damaged, and none does.
    package mutating func resumePacings(_ kept: [UInt8], now: Instant) -> Int? {
        guard let book = kept.withUnsafeBytes({ PacingBook(stored: $0, now: now) }) else {
            return nil
        }
        pacings = book
        return book.running.count
    }

    // MARK: Slices

    /// Queues the slices that are due, as requests without an requester.
    mutating func queueSlices(now: Instant) {
        guard let due = pacings.nextDue, due <= now else { return }
        for (id, request) in pacings.takeDue(now: now) {
            queue.append(
                Queued(
                    requester: nil, request: request, deadline: Instant(nanoseconds: .max),
                    bytes: 0,
                    pacing: id))
        }
    }

    /// Slices are in the log.
    mutating func noteSlices(_ placed: [Placed], now: Instant) {
        for one in placed {
            guard let id = one.queued.pacing else { continue }
            pacings.appended(id, at: one.position, now: now)
            output.statistics.slices += 1
            paceKeeping.isDue = true
        }
    }
}
