import CacheClientCore
import CacheModel
import ZeroMQ

extension ClientWorker {
    /// Handles what is due, and finds the next due time.
    ///
    /// It runs only when something *could* be due, so an answered message costs no timer: only open
    /// messages are checked.
    ///
    /// - Complexity: O(in flight + queued + delayed).
    func sweep(at now: Instant) {
        nextDue = Self.never
        sweepInFlight(at: now)
        // As of the last read of the sockets: frames that wait in a socket are no silence.
        sweepSilence(at: turnBegan)
        sweepDelayed(at: now)
        sweepConnections(at: now)
        sweepUnrouted(at: now)
    }

    private func sweepInFlight(at now: Instant) {
        var expired: [UInt64] = []
        var soonest = Self.never
        inFlight.forEach { id, sent in
            if sent.expiry <= now {
                expired.append(id)
            } else {
                soonest = min(soonest, sent.expiry)
            }
        }
        nextDue = min(nextDue, soonest)
        for id in expired { expire(id, at: now) }
    }

    /// A message got no answer in time.
    func expire(_ id: UInt64, at now: Instant) {
        guard let sent = inFlight[id] else { return }
        switch sent.content {
        case .late, .probe:
            close(id)
            return
        default: break
        }
        hunt.wanted(at: now)
        if keepWaiting(id, sent, at: now) { return }
        if !keepLooking(id, sent, at: now) { close(id) }
        switch sent.content {
        case .topology, .late, .probe: break
        case .question(let request):
            if case .again = request.schedule.failed(.silent, at: now) {
                request.wasNotAnswered()
                route(request, at: now)
            } else {
                let error = Self.silence(peerName(request), request.mayHaveHappened)
                request.settle(.failure(error))
            }
        case .operations(let references):
            for reference in references where !reference.isSettled {
                silent(reference, sent, at: now)
            }
        case .gets(let batch):
            sent.connection.window.ended()
            silent(batch, sent.connection, at: now)
        }
    }

    private func silent(
        _ reference: OperationReference, _ sent: Sent, at now: Instant
    ) {
        let request = reference.request
        if case .again = request.failed(reference.index, .silent, at: now) {
            request.avoid(sent.connection.node, reference.index)
            route(reference, at: now)
            return
        }
        // A "not yet" says more than the silence after it. For a store it says too little.
        if let last = request.progress[reference.index].lastAnswer, !request.isWrite {
            settle(reference, .answered(last))
            return
        }
        settle(reference, .failed(Self.silence(peerName(sent.connection), request.isWrite)))
    }

    /// Stores of several calls may share a message, each with its own deadline. Stores past their
    /// deadline fail, and the message stays open for the others.
    ///
    /// - Returns: whether it stays open.
    private func keepWaiting(
        _ id: UInt64, _ sent: Sent, at now: Instant
    ) -> Bool {
        guard case .operations(let references) = sent.content,
            references.allSatisfy({ $0.request.isWrite })
        else { return false }
        let open = references.filter { !$0.isSettled && $0.request.deadline > now }
        guard let soonest = open.map(\.request.deadline).min() else { return false }
        for reference in references where !reference.isSettled {
            if reference.request.deadline <= now { silent(reference, sent, at: now) }
        }
        var renewed = sent
        renewed.expiry = soonest
        inFlight[id] = renewed
        nextDue = min(nextDue, soonest)
        return true
    }

    static func silence(_ peerName: String, _ mayHaveHappened: Bool) -> CacheError {
        let effect = mayHaveHappened ? "; it may have been done all the same" : ""
        return CacheError(
            .timedOut, "\(peerName) did not answer in time\(effect)",
            mayHaveHappened: mayHaveHappened)
    }

    private func sweepDelayed(at now: Instant) {
        let entries = delayed
        delayed = []
        for entry in entries {
            guard entry.due <= now else {
                delay(entry.content, until: entry.due)
                continue
            }
            switch entry.content {
            case .operation(let reference): route(reference, at: now)
            case .question(let request): route(request, at: now)
            }
        }
    }

    /// Gives up connections that were blocked for too long, and queued operations past their
    /// deadline.
    private func sweepConnections(at now: Instant) {
        for connection in connections where connection.hasWork {
            if connection.checkPatience(at: now) {
                wentDown(connection, at: now)
                continue
            }
            nextDue = min(nextDue, connection.patienceEnd ?? Self.never)
            sweepGets(connection, at: now)
            let error: CacheError =
                connection.watch.takesRequests
                ? .unreachable(connection.endpoint) : .unanswering(peerName(connection))
            for reference in connection.takeOperations() {
                keep(reference, by: now, else: error) {
                    connection.queue(reference)
                }
            }
            connection.questions.removeAll { request in
                guard request.deadline <= now else {
                    nextDue = min(nextDue, request.deadline)
                    return false
                }
                request.settle(.failure(.unreachable(peerName(request))))
                return true
            }
        }
    }

    private func keep(
        _ reference: OperationReference, by now: Instant, else error: CacheError,
        _ keeping: () -> Void
    ) {
        guard !reference.isSettled else { return }
        guard reference.request.deadline > now else {
            // The last answer says more than the failure to retry.
            let last = reference.request.progress[reference.index].lastAnswer
            settle(reference, last.map { .answered($0) } ?? .failed(error))
            return
        }
        nextDue = min(nextDue, reference.request.deadline)
        keeping()
    }

    /// A queued operation was not sent. So it can be refused, or a read sent to another replica.
    private func wentDown(_ connection: ShardConnection, at now: Instant) {
        if connection.isAskedForTopology {
            connection.isAskedForTopology = false
            hunt.failed(at: now)
        }
        hunt.wanted(at: now)
        giveBackGets(of: connection, at: now)
        let questions = connection.questions
        connection.questions = []
        for request in questions { request.settle(.failure(.unreachable(peerName(request)))) }
        for reference in connection.takeOperations() { route(reference, at: now) }
    }

    private func sweepUnrouted(at now: Instant) {
        let references = unrouted
        unrouted = []
        let everybody = "every known endpoint (\(hunt.candidates.joined(separator: ", ")))"
        let peerName =
            topology == nil ? everybody : "the key's node, which has not said where it is,"
        for reference in references {
            keep(reference, by: now, else: .unreachable(peerName)) { route(reference, at: now) }
        }
        unroutedQuestions.removeAll { request in
            guard request.deadline <= now else {
                nextDue = min(nextDue, request.deadline)
                return false
            }
            request.settle(.failure(.unreachable(everybody)))
            return true
        }
    }
}
