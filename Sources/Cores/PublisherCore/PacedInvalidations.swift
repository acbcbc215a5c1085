import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// Serves PACE: paced invalidations, and stores them beside the log. docs/decisions/0032 gives the
/// reasons.
///
///     PACE ──▶ PacingTable ──▶ takeUnstored ──▶ stored ──▶ PACING REPORT
///                  │ due
///                  └──▶ takeDue ──▶ the turn's append ──▶ appended
struct PacedInvalidations {
    /// A client that waits for its order to be stored.
    private struct Waiting {
        let requester: Requester
        let id: PacingID
        let isCancelling: Bool
    }

    private(set) var table = PacingTable()
    /// Whether pacings are stored: the log outlives its process.
    private let isDurable: Bool
    /// Whether a change is neither stored nor being stored.
    private var isDue = false
    /// Whether a client waits for that.
    private var isUrgent = false
    /// The earliest moment of the next write, if no client waits.
    private var notBefore: Instant?
    /// The clients that wait for the table being stored, and the newest order in it; `nil` if none
    /// is being stored.
    private var underWay: (waiting: [Waiting], newest: PacingID)?
    /// The clients that wait for a later write.
    private var waiting: [Waiting] = []

    init(isDurable: Bool) { self.isDurable = isDurable }

    // MARK: Orders

    /// - Throws: `outOfRange` or `malformed` for an order to begin that cannot be executed.
    static func check(_ request: PaceRequest, bytes: Int) throws(WireRefusal) {
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

    /// Whether one more order may wait for the disk; of one key, half of them.
    func hasRoom(for principal: PrincipalNumber) -> Bool {
        guard waiting.count < PublisherLimits.paceAskersMax else { return false }
        return principal == .unknown
            || waiting.count { $0.requester.principal == principal }
                < PublisherLimits.paceAskersMax / 2
    }

    /// Begins a pacing for which ``hasRoom(for:)`` holds.
    mutating func begin(
        _ request: PaceRequest, for requester: Requester, now: Instant,
        output: inout PublisherOutput
    ) {
        switch table.begin(request, of: requester.principal, now: now) {
        case .begun(let id), .known(let id):
            let order = Waiting(requester: requester, id: id, isCancelling: false)
            // A running pacing is stored, whatever the result of this write.
            if table.pacing(id)?.isKept == true {
                answer([order], now: now, output: &output)
            } else {
                store(order, now: now, output: &output)
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

    /// Cancels a pacing; ``hasRoom(for:)`` holds, and the requester may invalidate its scopes.
    mutating func cancel(
        _ id: PacingID, for requester: Requester, now: Instant, output: inout PublisherOutput
    ) {
        guard table.pacing(id)?.state == .cancelled || table.cancel(id) else {
            return refuseCancel(id, for: requester, output: &output)
        }
        let order = Waiting(requester: requester, id: id, isCancelling: true)
        store(order, now: now, output: &output)
    }

    func refuseCancel(
        _ id: PacingID, for requester: Requester, output: inout PublisherOutput
    ) {
        let sentence = "no paced invalidation of number \(id) is running that you may cancel"
        output.refuse(requester, .outOfRange, sentence)
    }

    func report(
        _ some: [Pacing], to requester: Requester, now: Instant, output: inout PublisherOutput
    ) {
        let report = PacingReport(some.map { $0.line(isDurable: isDurable, now: now) })
        output.reply(to: requester) { report.encode(requestID: requester.requestID, into: &$0) }
    }

    // MARK: Slices

    /// The slices that are due now.
    mutating func takeDue(now: Instant) -> [(id: PacingID, request: InvalidateRequest)] {
        guard let due = table.nextDue, due <= now else { return [] }
        return table.takeDue(now: now)
    }

    /// Requests are in the log, slices among them.
    ///
    /// - Returns: the number of slices.
    mutating func appended(_ placed: [PlacedRequest], now: Instant) -> UInt64 {
        var count: UInt64 = 0
        for one in placed {
            guard case .slice(let id) = one.queued.origin else { continue }
            table.appended(id, at: one.position, now: now)
            isDue = true
            count += 1
        }
        return count
    }

    /// The log refused the slice: it is retried soon.
    mutating func refused(_ id: PacingID, now: Instant) { table.refused(id, now: now) }
}

// MARK: Storing

extension PacedInvalidations {
    /// Answers once the order is stored: at once if nothing outlives the process.
    private mutating func store(
        _ order: Waiting, now: Instant, output: inout PublisherOutput
    ) {
        guard isDurable else {
            table.kept(through: order.id, now: now)
            return answer([order], now: now, output: &output)
        }
        waiting.append(order)
        isUrgent = true
        isDue = true
    }

    /// The table to store now, if it has changed: at once if a client waits, otherwise at
    /// intervals.
    mutating func takeUnstored(now: Instant, turnEndedAt: Instant) -> [UInt8]? {
        guard let due = storingDue(turnEndedAt: turnEndedAt), due <= now else { return nil }
        underWay = (waiting, table.newest)
        waiting = []
        isDue = false
        isUrgent = false
        notBefore = now.advanced(by: PublisherLimits.paceNoteSpacing)
        return table.stored
    }

    /// When the table must be stored again; `nil` while it is being stored, and if nothing is new.
    func storingDue(turnEndedAt: Instant) -> Instant? {
        guard isDue, underWay == nil, isDurable else { return nil }
        return isUrgent ? turnEndedAt : max(notBefore ?? turnEndedAt, turnEndedAt)
    }

    /// The table was stored, or could not be.
    ///
    /// - Parameter trouble: the reason of a failure, as text for people.
    mutating func stored(_ trouble: String?, now: Instant, output: inout PublisherOutput) {
        guard let (orders, newest) = underWay else { return }
        underWay = nil
        guard let trouble else {
            table.kept(through: newest, now: now)
            return answer(orders, now: now, output: &output)
        }
        // The stored table is older than the pacings that run, so it stays due.
        isDue = true
        for order in orders { refuse(order, because: trouble, output: &output) }
    }

    private mutating func refuse(
        _ order: Waiting, because trouble: String, output: inout PublisherOutput
    ) {
        guard order.isCancelling else {
            if table.pacing(order.id)?.isKept == false { table.withdraw(order.id) }
            return output.refuse(order.requester, .unavailable, Self.unkept(trouble))
        }
        output.audit(.paceCancelled(order.id), by: order.requester.party)
        let sentence =
            "the invalidation was stopped, but that could not be recorded (\(trouble)): it "
            + "continues if the publisher restarts before it is"
        output.refuse(order.requester, .unavailable, sentence)
    }

    private static func unkept(_ trouble: String) -> String {
        "the order could not be kept: \(trouble); nothing was invalidated"
    }

    private func answer(_ orders: [Waiting], now: Instant, output: inout PublisherOutput) {
        for order in orders {
            guard let pacing = table.pacing(order.id) else {
                // Requested again during the first attempt, which failed.
                let sentence = Self.unkept("the attempt before it failed; ask again")
                output.refuse(order.requester, .unavailable, sentence)
                continue
            }
            audit(order, pacing, output: &output)
            report([pacing], to: order.requester, now: now, output: &output)
        }
    }

    /// Records that a paced invalidation was begun or cancelled, once that is stored.
    private func audit(_ order: Waiting, _ pacing: Pacing, output: inout PublisherOutput) {
        guard output.isAudited else { return }
        let request = pacing.request
        let deed: AuditEvent.Deed =
            order.isCancelling
            ? .paceCancelled(pacing.id)
            : .paced(
                .init(request.scopes, request.strength), pacing.id,
                spanMilliseconds: request.spanMilliseconds)
        output.audit(deed, by: order.requester.party)
    }

    /// The publisher ends before it knows whether orders were stored.
    mutating func stop(output: inout PublisherOutput) {
        for order in (underWay?.waiting ?? []) + waiting {
            let sentence =
                "the publisher is stopping; whether the order was kept is shown by martlet pacing "
                + "once it runs again"
            output.refuse(order.requester, .unavailable, sentence)
        }
        (isDue, isUrgent, notBefore, underWay, waiting) = (false, false, nil, nil, [])
    }

    /// Another publisher will lead: forgets the orders that wait to be stored.
    ///
    /// - Returns: their clients. The orders may have been stored.
    mutating func handOver() -> [Requester] {
        defer { (isDue, isUrgent, notBefore, underWay, waiting) = (false, false, nil, nil, []) }
        return ((underWay?.waiting ?? []) + waiting).map(\.requester)
    }

    /// The table to store at the end in place of the previous one; `nil` if it is stored.
    var unstored: [UInt8]? { isDurable && (isDue || underWay != nil) ? table.stored : nil }

    /// Continues with the table that an earlier publisher stored.
    ///
    /// - Returns: how many pacings continue; `nil` if the bytes are damaged, and none does.
    mutating func resume(_ bytes: [UInt8], now: Instant) -> Int? {
        guard let known = bytes.withUnsafeBytes({ PacingTable(stored: $0, now: now) }) else {
            return nil
        }
        table = known
        return known.running.count
    }
}
