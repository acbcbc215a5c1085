import CacheClientCore
import CacheModel

extension RequestRouter {
    /// Handles the unsent requests that are due.
    ///
    /// - Complexity: O(queued + delayed).
    func sweep(at now: Instant) {
        sweepDelayed(at: now)
        sweepConnections(at: now)
        sweepUnrouted(at: now)
    }

    private func sweepDelayed(at now: Instant) {
        let entries = delayed
        delayed = []
        for entry in entries {
            guard entry.due <= now else {
                delay(entry.request, until: entry.due)
                continue
            }
            switch entry.request {
            case .operation(let reference): route(reference, at: now)
            case .question(let request): route(request, at: now)
            }
        }
    }

    /// Gives up connections that were blocked for too long, and queued operations past their
    /// deadline.
    private func sweepConnections(at now: Instant) {
        for connection in connections.all where connection.hasWork {
            if connection.checkPatience(at: now) {
                wentDown(connection, at: now)
                continue
            }
            timer.lower(to: connection.patienceEnd ?? DueTimer.never)
            gets.sweep(connection, at: now)
            let error: CacheError =
                connection.watch.takesRequests
                ? .unreachable(connection.endpoint) : .unanswering(connection.name)
            for reference in connection.takeOperations() where isKept(reference, now, else: error) {
                connection.queue(reference)
            }
            connection.questions.removeAll { isOver($0, now, peerName($0)) }
        }
    }

    /// Whether an unsent operation still has time; otherwise it is settled.
    private func isKept(
        _ reference: OperationReference, _ now: Instant, else error: CacheError
    ) -> Bool {
        guard !reference.isSettled else { return false }
        if let outcome = reference.outcome(by: now, else: error) {
            settle(reference, outcome)
            return false
        }
        timer.lower(to: reference.request.deadline)
        return true
    }

    /// Whether an unsent question is past its deadline; then it is settled.
    private func isOver(
        _ request: AdminRequest, _ now: Instant, _ peerName: @autoclosure () -> String
    ) -> Bool {
        guard request.deadline <= now else {
            timer.lower(to: request.deadline)
            return false
        }
        request.settle(.failure(missingLeader(of: request) ?? .unreachable(peerName())))
        return true
    }

    /// A queued operation was not sent. So it can be refused, or a read sent to another replica.
    private func wentDown(_ connection: ShardConnection, at now: Instant) {
        if connection.isAskedForTopology {
            connection.isAskedForTopology = false
            hunt.failed(at: now)
        }
        hunt.wanted(at: now)
        gets.giveBackAll(of: connection, at: now)
        let mayMove = connection.watch.isOneOfSeveral
        if mayMove { lost(connection.endpoint, .silent, at: now) }
        for request in connection.takeQuestions() {
            if mayMove, request.isForPublisher {
                route(request, at: now)
            } else {
                request.settle(.failure(.unreachable(peerName(request))))
            }
        }
        for reference in connection.takeOperations() { route(reference, at: now) }
    }

    private func sweepUnrouted(at now: Instant) {
        let references = unrouted
        unrouted = []
        let error: CacheError
        if topology != nil {
            error = .unreachable("the key's node, which has not said where it is,")
        } else if leaders.isSearching {
            error = .noLeader(mayHaveHappened: false)
        } else {
            error = .unreachable(everyEndpoint)
        }
        for reference in references where isKept(reference, now, else: error) {
            route(reference, at: now)
        }
        unroutedQuestions.removeAll { isOver($0, now, everyEndpoint) }
    }

    /// Fails all unsent requests: the client ends.
    func failAll(_ error: CacheError) {
        for connection in connections.all {
            for batch in connection.takeGets() { gets.settleAll(of: batch, .failed(error)) }
            for reference in connection.takeOperations() { settle(reference, .failed(error)) }
            for request in connection.questions { request.settle(.failure(error)) }
        }
        for entry in delayed {
            switch entry.request {
            case .operation(let reference): settle(reference, .failed(error))
            case .question(let request): request.settle(.failure(error))
            }
        }
        for reference in unrouted { settle(reference, .failed(error)) }
        for request in unroutedQuestions { request.settle(.failure(error)) }
    }
}
