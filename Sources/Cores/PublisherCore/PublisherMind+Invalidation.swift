import CacheAccess
package import CacheInvalidation
package import CacheModel
import CacheWire

/// INVALIDATE: queue, append once per turn, wait, answer.
extension PublisherMind {
    mutating func takeInvalidate(_ message: IncomingMessage) throws(WireRefusal) {
        var requester = message.requester
        var request = try InvalidateRequest(decoding: message.view)
        try message.authorise(request.scopes)
        requester.party?.claim = request.issuer
        requester.party?.trace = request.trace
        request.issuer = message.issuer(request.issuer)
        let bytes = message.view.body.count
        guard hasRoomForWait, appender.hasRoom(forBytes: bytes) else {
            let sentence = "too many invalidations are under way; nothing was invalidated"
            return output.refuse(requester, .busy, sentence)
        }
        guard mayWait(message, bytes) else {
            let sentence =
                "your key has as many invalidations under way as it may; nothing was invalidated"
            return output.refuse(requester, .busy, sentence)
        }
        waitShares.enter(requester.principal, bytes)
        let deadline = message.deadline(timeoutMilliseconds: request.timeoutMilliseconds)
        appender.insert(
            QueuedRequest(
                origin: .client(requester), request: request, deadline: deadline, bytes: bytes))
    }

    /// Whether one more request may wait for its receipt.
    var hasRoomForWait: Bool { appender.count + receipts.count < InvalidationLimits.waitsMax }

    /// Whether the sender's key has waits left in its share of that capacity. A node has no share,
    /// because it waits for many clients.
    func mayWait(_ message: IncomingMessage, _ bytes: Int) -> Bool {
        guard let entry = message.entry, !entry.rights.contains(.node) else { return true }
        let principal = message.requester.principal
        return waitShares.hasRoom(
            for: principal, bytes, countMax: admission.waitingMax(of: principal))
    }

    /// Queues the echoes and the slices that are due.
    mutating func queueDue(now: Instant) {
        for request in echoes.takeDueRequests(now: now) {
            output.statistics.echoes += UInt64(request.scopes.count)
            appender.insert(QueuedRequest(origin: .echo, request: request))
        }
        for (id, request) in pacings.takeDue(now: now) {
            appender.insert(QueuedRequest(origin: .slice(id), request: request))
        }
    }

    /// Refuses the requests that waited for their append until their deadline.
    mutating func dropOverdue(now: Instant) {
        let why =
            log.hasHistory
            ? "the log is still writing what came before; nothing was invalidated, try again"
            : "the publisher has just started and asks its nodes for the log's position; "
                + "nothing was invalidated, try again"
        appender.dropOverdue(now: now, why, shares: &waitShares, output: &output)
    }

    /// Appends all queued requests at once. If the log has the records at once, they are published
    /// at once; otherwise by ``appended(_:now:into:)``, and later requests go into the next append.
    mutating func commit(now: Instant) {
        guard !appender.queue.isEmpty else { return }
        guard !appender.isAppending else { return dropOverdue(now: now) }
        openEpochIfNumbersRunOut(appender.queue.count)
        let outcome = appender.append(
            to: &log, guards: plan.guards,
            holders: plan.guards.isOn(.waitSetAfterHead) ? nil : grants, shares: &waitShares,
            output: &output)
        switch outcome {
        case .nothingNew(let placed): answerRepeated(placed, now: now)
        case .done(let batch, let placed): publish(batch, placed, among: grants, now: now)
        case .underWay(let batch):
            guard !plan.guards.isOn(.durableBeforeTold) else { return }
            broadcast(batch, isAwaited: true, now: now)
        case .refused(let placed, let refusal):
            refuseUnwritten(placed, because: refusal, now: now)
        }
    }

    /// The log has finished a slow append. An append that a new epoch superseded is ignored: its
    /// requests were numbered anew.
    package mutating func appended(
        _ outcome: LogOutcome, now: Instant, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        guard let ended = appender.takeFinished(outcome.ticket) else { return }
        log.finish(outcome)
        if let refusal = outcome.refusal {
            refuseUnwritten(ended.placed, because: refusal, now: now)
        } else {
            publish(ended.batch, ended.placed, among: ended.holders ?? grants, now: now)
        }
    }

    /// The records are in the log: broadcasts them, and then starts the waits. No node receives a
    /// record earlier, because it would apply a record that may still be lost.
    private mutating func publish(
        _ batch: [SealedRecord], _ placed: [PlacedRequest], among holders: GrantTable, now: Instant
    ) {
        appender.remember(batch)
        count(batch)
        for sealed in batch { floorServer.append(sealed) }
        if let first = batch.first {
            let new = placed.filter { $0.position >= first.position }
            for one in new { receipts.note(one, now: now) }
            if plan.hasReplicaLag { planEchoes(of: new, now: now) }
        }
        for one in placed {
            guard case .members(let told) = one.queued.origin else { continue }
            membership.appended(told, at: one.position)
            if membership.stage == .settled { topology.advance() }
        }
        noteSlices(placed, now: now)
        auditOrders(placed, newSince: batch.first?.position)
        let isAwaited = placed.contains { $0.queued.request.wait != .none }
        broadcast(batch, isAwaited: isAwaited, now: now)
        receipts.begin(placed, plan, among: holders, now: now)
    }

    /// These operations were executed before: their clients wait for the first positions.
    private mutating func answerRepeated(_ placed: [PlacedRequest], now: Instant) {
        noteSlices(placed, now: now)
        auditOrders(placed, newSince: nil)
        receipts.begin(placed, plan, among: grants, now: now)
    }

    /// Refuses the requests that were not appended. Repeated requests with an earlier position
    /// still wait.
    private mutating func refuseUnwritten(
        _ placed: [PlacedRequest], because refusal: LogRefusal, now: Instant
    ) {
        output.statistics.appendsRefused += 1
        let head = log.head.position
        answerRepeated(placed.filter { $0.position <= head }, now: now)
        for one in placed where one.position > head {
            switch one.queued.origin {
            case .client(let requester):
                let sentence = "the log could not be written: \(refusal); nothing was invalidated"
                waitShares.leave(requester.principal)
                output.refuse(requester, .unavailable, sentence)
            case .slice(let id): pacings.refused(id, now: now)
            case .members:
                membership.refused(retryAt: now.advanced(by: PublisherLimits.echoRetry))
            case .echo: echoes.retry(one.queued.request, now: now)
            }
        }
    }

    // MARK: Consequences of an append

    private mutating func count(_ batch: [SealedRecord]) {
        output.statistics.appends += 1
        output.statistics.records += UInt64(batch.count)
        for sealed in batch {
            output.statistics.scopes += UInt64(sealed.record.scopes.count)
            output.statistics.recordBytes += UInt64(sealed.bytes.count)
        }
    }

    /// Plans the echoes of new records. An echo has no echo.
    private mutating func planEchoes(of new: [PlacedRequest], now: Instant) {
        for one in new {
            switch one.queued.origin {
            case .client, .slice: echoes.plan(one.queued.request, plan, now: now)
            case .echo, .members: break
            }
        }
    }

    /// Slices are in the log.
    private mutating func noteSlices(_ placed: [PlacedRequest], now: Instant) {
        for one in placed {
            guard case .slice(let id) = one.queued.origin else { continue }
            pacings.appended(id, at: one.position, now: now)
            output.statistics.slices += 1
        }
    }

    /// Records orders of clients that are in the log. docs/decisions/0056 gives the reasons.
    ///
    /// An order that was refused because a limit was reached had no effect and gets no line.
    ///
    /// - Parameter position: of the first new record; `nil` if none is new.
    private mutating func auditOrders(
        _ placed: [PlacedRequest], newSince position: LogPosition?
    ) {
        guard output.isAudited else { return }
        for one in placed {
            guard let requester = one.queued.requester else { continue }
            let request = one.queued.request
            let deed = AuditEvent.Deed.invalidated(
                .init(request.scopes, request.strength), at: one.position,
                wait: request.wait.description,
                isRepeated: position.map { one.position < $0 } ?? true)
            output.audit(deed, by: requester.party)
        }
    }

    // MARK: Epochs

    /// Opens a new epoch. Records that were being written in the old one were sent to no node, so
    /// their requests are queued again and numbered anew.
    mutating func openEpoch(_ epoch: Epoch) {
        log.open(epoch)
        // The log may have been set back, and the table stored beside it as well.
        for (node, heir) in runs.distrust() { grants.inherit(heir, of: node) }
        membership.begunAnew()
        floorServer.restart(at: log, isCertain: true)
        output.statistics.epochsOpened += 1
        appender.requeueUnderWay(shares: &waitShares)
    }

    private mutating func openEpochIfNumbersRunOut(_ needed: Int) {
        let head = log.head.position
        guard SequenceNumber.max.rawValue - head.sequence.rawValue < UInt64(needed),
            head.epoch.rawValue < .max
        else { return }
        openEpoch(head.epoch.next)
    }
}
