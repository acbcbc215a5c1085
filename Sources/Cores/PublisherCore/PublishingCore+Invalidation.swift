import CacheAccess
package import CacheInvalidation
package import CacheModel
import CacheWire

/// INVALIDATE: queue, append once per turn, wait, answer.
extension PublishingCore {
    mutating func takeInvalidate(_ message: IncomingMessage) throws(WireRefusal) {
        var requester = message.requester
        var request = try InvalidateRequest(decoding: message.view)
        try message.authorise(request.scopes)
        requester.party?.claim = request.issuer
        requester.party?.trace = request.trace
        request.issuer = message.issuer(request.issuer)
        let bytes = message.view.body.count
        guard hasRoomForWait, appender.hasRoom(forBytes: bytes),
            appender.hasRoom(for: request.operation, now: message.now)
        else {
            let sentence = "too many invalidations are under way; nothing was invalidated"
            return output.refuse(requester, .busy, sentence)
        }
        guard admission.mayWait(message, bytes) else {
            let sentence =
                "your key has as many invalidations under way as it may; nothing was invalidated"
            return output.refuse(requester, .busy, sentence)
        }
        admission.shares.enter(requester.principal, bytes)
        let deadline = message.deadline(timeoutMilliseconds: request.timeoutMilliseconds)
        appender.insert(
            QueuedRequest(
                origin: .client(requester), request: request, deadline: deadline, bytes: bytes))
    }

    /// Whether one more request may wait for its receipt.
    var hasRoomForWait: Bool { appender.count + receipts.count < InvalidationLimits.waitsMax }

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
        appender.dropOverdue(
            now: now, why, isShared: log.isShared, shares: &admission.shares, output: &output)
    }

    /// Appends all queued requests at once. If the log has the records at once, they are published
    /// at once; otherwise by ``appended(_:now:into:)``, and later requests go into the next append.
    mutating func commit(now: Instant) {
        guard !appender.queue.isEmpty else { return }
        guard !appender.isAppending else { return dropOverdue(now: now) }
        openEpochIfNumbersRunOut(appender.queue.count)
        let outcome = appender.append(
            to: &log, guards: plan.guards,
            holders: plan.guards.isOn(.waitSetAfterHead) ? nil : nodes.grants,
            shares: &admission.shares, output: &output)
        switch outcome {
        case .nothingNew(let placed): answerRepeated(placed, now: now)
        case .done(let batch, let placed): publish(batch, placed, among: nodes.grants, now: now)
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
            publish(ended.batch, ended.placed, among: ended.holders ?? nodes.grants, now: now)
        }
    }

    /// The records are in the log: broadcasts them, and then starts the waits. No node receives a
    /// record earlier, because it would apply a record that may still be lost.
    private mutating func publish(
        _ batch: [SealedRecord], _ placed: [PlacedRequest], among holders: GrantTable, now: Instant
    ) {
        appender.remember(batch, now: now)
        output.statistics.count(batch)
        for sealed in batch { floorServer.append(sealed) }
        if let first = batch.first {
            for one in placed where one.position >= first.position {
                receipts.note(one, now: now)
            }
            echoes.plan(placed, since: first.position, plan, now: now)
        }
        let owners = ownership.appended(placed, batch)
        if owners.areNew { topology.advance() }
        output.statistics.slices += pacings.appended(placed, now: now)
        output.audit(placed, newSince: batch.first?.position)
        let isAwaited = placed.contains { $0.queued.request.wait != .none }
        broadcast(batch, isAwaited: isAwaited, now: now)
        receipts.begin(placed, plan, among: holders, now: now)
        if !owners.areKnown { openEpoch(log.head.position.epoch.next) }
    }

    /// These operations were executed before: their clients wait for the first positions.
    private mutating func answerRepeated(_ placed: [PlacedRequest], now: Instant) {
        output.statistics.slices += pacings.appended(placed, now: now)
        output.audit(placed, newSince: nil)
        receipts.begin(placed, plan, among: nodes.grants, now: now)
    }

    /// Refuses the requests that were not appended. Repeated requests with an earlier position
    /// still wait.
    private mutating func refuseUnwritten(
        _ placed: [PlacedRequest], because refusal: LogRefusal, now: Instant
    ) {
        output.statistics.appendsRefused += 1
        let head = log.head.position
        answerRepeated(placed.filter { $0.position <= head }, now: now)
        let unwritten = placed.filter { $0.position > head }
        for one in unwritten where refusal.mayBeAppended || one.queued.isUncertain {
            appender.doubt(one.queued.request.operation)
        }
        for one in unwritten {
            switch one.queued.origin {
            case .client(let requester):
                admission.shares.leave(requester.principal)
                let effect =
                    refusal.mayBeAppended || one.queued.isUncertain
                        || appender.isDoubtful(one.queued.request.operation)
                    ? "it may have been invalidated; repeat it with the same operation id"
                    : "nothing was invalidated"
                output.refuse(
                    requester, .unavailable, "the log could not be written: \(refusal); \(effect)")
            case .answered: break
            case .slice(let id): pacings.refused(id, now: now)
            case .members, .slots:
                ownership.refused(retryAt: now.advanced(by: PublisherLimits.echoRetry))
            case .echo: echoes.retry(one.queued.request, now: now)
            }
        }
    }

    private mutating func openEpochIfNumbersRunOut(_ needed: Int) {
        let head = log.head.position
        guard SequenceNumber.max.rawValue - head.sequence.rawValue < UInt64(needed),
            head.epoch.rawValue < .max
        else { return }
        openEpoch(head.epoch.next)
    }
}
