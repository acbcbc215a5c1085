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
        timer.clear()
        for id in sender.expired(at: now) { expire(id, at: now) }
        // As of the last read of the sockets: frames that wait in a socket are no silence.
        sweepSilence(at: turnBegan)
        requests.sweep(at: now)
    }

    // MARK: Messages without an answer

    private func expire(_ id: UInt64, at now: Instant) {
        guard let sent = sender[id] else { return }
        switch sent.content {
        case .late, .lateQuestion, .probe:
            sender.close(id)
            return
        default: break
        }
        requests.hunt.wanted(at: now)
        if keepWaiting(id, sent, at: now) { return }
        if !keepLooking(id, sent, at: now) { sender.close(id) }
        switch sent.content {
        case .topology, .late, .lateQuestion, .probe: break
        case .question(let request):
            if request.wasSilent(requests.peerName(request), at: now) {
                requests.route(request, at: now)
            }
        case .operations(let references):
            for reference in references {
                let step = reference.step(afterSilenceOf: sent.connection, at: now)
                requests.carryOut(step, for: reference, at: now)
            }
        case .gets(let batch):
            sent.connection.window.ended()
            gets.silent(batch, sent.connection, at: now)
        }
    }

    /// Stores of several calls may share a message, each with its own deadline. Stores past their
    /// deadline fail, and the message stays open for the others.
    ///
    /// - Returns: whether it stays open.
    private func keepWaiting(_ id: UInt64, _ sent: SentMessage, at now: Instant) -> Bool {
        guard case .operations(let references) = sent.content,
            references.allSatisfy({ $0.request.isWrite })
        else { return false }
        let open = references.filter { !$0.isSettled && $0.request.deadline > now }
        guard let soonest = open.map(\.request.deadline).min() else { return false }
        for reference in references where reference.request.deadline <= now {
            let step = reference.step(afterSilenceOf: sent.connection, at: now)
            requests.carryOut(step, for: reference, at: now)
        }
        var renewed = sent
        renewed.expiry = soonest
        sender.keep(id, renewed)
        return true
    }

    /// Continues to wait for the answer to a message that may bring load leases: they are given
    /// back then.
    ///
    /// - Returns: whether it continues; then the message stays open.
    private func keepLooking(_ id: UInt64, _ sent: SentMessage, at now: Instant) -> Bool {
        guard case .operations(let references) = sent.content,
            references.contains(where: \.request.wantsToken),
            sender.openCount < ClientLimits.lateAnswersMax
        else { return false }
        var late = sent
        late.content = .late(references)
        late.expiry = now.advanced(by: ClientLimits.lateRightMax)
        sender.keep(id, late)
        return true
    }

    // MARK: Silent shards

    /// Checks which shards have been silent for too long: docs/decisions/0092. The only publisher,
    /// and endpoints that no topology has named yet, are not watched: they are asked until the
    /// deadline, as an invalidation is worth the wait. One of several publishers is watched: if it
    /// is silent, another one may lead. A doubted shard is watched to the end, even if the topology
    /// no longer names it.
    ///
    /// - Complexity: O(connections), and O(in flight) for each that falls silent.
    private func sweepSilence(at now: Instant) {
        for connection in connections.all where connection.isWatched {
            switch connection.watch.look(at: now) {
            case .probe: connection.isToBeProbed = true
            case .fellSilent: fellSilent(connection, at: now)
            case nil: break
            }
            timer.watch(connection)
        }
    }

    /// Requests that wait for the shard fail or go elsewhere, and so do reads that were sent to it.
    /// Chunks of an upload fail, because they store nothing: the upload begins anew at another
    /// replica. A change that was sent keeps its deadline: its answer may still come, and nothing
    /// else reveals its outcome.
    private func fellSilent(_ connection: ShardConnection, at now: Instant) {
        requests.hunt.wanted(at: now)
        if connection.watch.isOneOfSeveral { leaderFellSilent(connection, at: now) }
        requests.routing.forgetNearNode()
        gets.giveBackAll(of: connection, at: now)
        let questions = connection.takeQuestions()
        for reference in connection.takeOperations() { requests.route(reference, at: now) }
        for request in questions { requests.route(request, at: now) }
        for id in sender.ids(on: connection, where: \.isRead) { expire(id, at: now) }
        for id in sender.ids(on: connection, where: \.isChunks) {
            guard case .operations(let references) = sender[id]?.content else { continue }
            sender.close(id)
            for reference in references {
                requests.settle(reference, .failed(.unanswering(connection.name)))
            }
        }
    }
}

/// Questions to a publisher that no longer leads.
extension ClientWorker {
    private func leaderFellSilent(_ connection: ShardConnection, at now: Instant) {
        requests.lost(connection.endpoint, .silent, at: now)
        moveQuestions(sentOver: connection, at: now)
    }

    /// Asks the next endpoint for the topology, if one is due. Then it moves questions, whether an
    /// answer of this turn or the end of a round has found another leader.
    func continueHunt(at now: Instant) {
        requests.ask(requests.hunt.tick(at: now), at: now)
        if !requests.superseded.isEmpty { askSupersededAgain(at: now) }
    }

    /// Moves the questions that wait at publishers which no longer lead: nodes report their
    /// positions to another one by now.
    private func askSupersededAgain(at now: Instant) {
        for endpoint in requests.takeSuperseded() {
            guard let connection = connections[endpoint] else { continue }
            moveQuestions(sentOver: connection, at: now)
            for request in connection.takeQuestions() {
                if request.isForPublisher {
                    requests.route(request, at: now)
                } else {
                    connection.questions.append(request)
                }
            }
        }
    }

    /// Repeats what was sent to a publisher at the next one, with the same operation ids. An answer
    /// of the former one still counts. Questions that may not be repeated keep their deadline.
    private func moveQuestions(sentOver connection: ShardConnection, at now: Instant) {
        for id in sender.ids(on: connection, where: \.isPublisherQuestion) {
            guard let sent = sender[id], case .question(let request) = sent.content else {
                continue
            }
            if sender.openCount < ClientLimits.lateAnswersMax {
                var late = sent
                late.content = .lateQuestion(request)
                late.expiry = request.deadline
                sender.keep(id, late)
            } else {
                sender.close(id)
            }
            if request.wasSilent(requests.peerName(request), at: now) {
                requests.route(request, at: now)
            }
        }
    }
}
