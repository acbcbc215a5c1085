import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

extension ClientWorker {
    func receiveAll() throws(ZeroMQError) {
        // Answers may open connections; those have no answers yet.
        let open = connections.all
        for connection in open where connections.isReady(connection) {
            var left = ClientLimits.repliesPerTurnMax
            while left > 0, try connection.socket.receive(into: &frame) {
                left -= 1
                received(frame.bytes, from: connection, at: MonotonicClock.now)
                while frame.hasMore, try connection.socket.receive(into: &frame) {}
            }
        }
    }

    private func received(
        _ bytes: UnsafeRawBufferPointer, from connection: ShardConnection, at now: Instant
    ) {
        defer {
            connection.watch.heard(at: now)
            timer.watch(connection)
        }
        let message: MessageView
        do {
            message = try MessageView(decoding: bytes)
        } catch {
            violated(
                by: connection, id: MessageHeader.requestID(ofDamaged: bytes), error.sentence)
            return
        }
        // Late, repeated or invented answers match no request, and neither do ids of another peer.
        guard let sent = sender[message.requestID], sent.connection === connection else { return }
        sender.close(message.requestID)
        switch sent.content {
        case .probe: requests.answeredProbe(message, from: connection, at: now)
        case .topology: requests.answeredHunt(message, from: connection, at: now)
        case .question(let request):
            answered(request, message, bytes, from: connection, at: now)
        case .lateQuestion(let request): answeredLate(request, message, bytes)
        case .operations(let references):
            measure(sent, at: now)
            answered(references, message, from: connection, at: now)
        case .late(let references): answeredLate(references, message, from: connection, at: now)
        case .gets(let batch):
            measure(sent, at: now)
            connection.window.ended()
            answered(batch, message, from: connection, at: now)
        }
    }

    private func measure(_ sent: SentMessage, at now: Instant) {
        guard let node = sent.connection.node else { return }
        requests.routing.measured(node, now.elapsed(since: sent.sentAt))
    }

    /// An answer cannot be read. If its request is known, the request fails without further
    /// waiting.
    private func violated(by connection: ShardConnection, id: UInt64, _ reason: String) {
        guard let sent = sender[id], sent.connection === connection else { return }
        sender.close(id)
        let error = { CacheError.violation(reason, mayHaveHappened: $0) }
        switch sent.content {
        case .topology: requests.hunt.failed(at: sent.sentAt)
        case .late, .lateQuestion, .probe: break
        case .question(let request): request.settle(.failure(error(request.mayHaveHappened)))
        case .operations(let references):
            for reference in references {
                requests.settle(reference, .failed(error(reference.request.isWrite)))
            }
        case .gets(let batch):
            connection.window.ended()
            gets.settleAll(of: batch, .failed(error(false)))
            gets.recycle(batch)
        }
    }

    private func answered(
        _ request: AdminRequest, _ message: MessageView, _ bytes: UnsafeRawBufferPointer,
        from connection: ShardConnection, at now: Instant
    ) {
        if message.type == .notLeader, request.isForPublisher {
            requests.wasDenied(request, by: connection, message, at: now)
            return
        }
        guard message.type == .error else {
            request.settle(.success([UInt8](bytes)))
            return
        }
        let (error, retryAfter) = CacheError.reading(message)
        if error.isOtherCluster {
            if request.isForPublisher { requests.lost(connection.endpoint, .silent, at: now) }
            requests.hunt.wanted(at: now)
        }
        if let due = request.wasRefused(error, retryAfter, at: now) {
            requests.delay(.question(request), until: due)
        }
    }

    // MARK: Operations

    private func answered(
        _ references: [OperationReference], _ message: MessageView,
        from connection: ShardConnection, at now: Instant
    ) {
        if let (error, retryAfter) = refusal(in: message, ofWrite: references[0].request.isWrite) {
            for reference in references {
                if error.code == .unauthorised, references.count > 1 {
                    // One key exceeded the permissions, and nothing was done: each operation is
                    // retried by itself.
                    reference.request.progress[reference.index].isAlone = true
                    requests.route(reference, at: now)
                } else {
                    let step = reference.step(
                        after: error, retryAfter, by: connection.node, at: now)
                    requests.carryOut(step, for: reference, at: now)
                }
            }
            return
        }
        do throws(WireRefusal) {
            var results = try results(in: message, from: connection, at: now)
            try message.check(resultCount: references.count)
            for reference in references {
                consider(try results.nextAnswer(), for: reference, at: now)
            }
        } catch {
            for reference in references {
                let isWrite = reference.request.isWrite
                requests.settle(
                    reference, .failed(.violation(error.sentence, mayHaveHappened: isWrite)))
            }
        }
    }

    private func consider(
        _ answer: OperationAnswer, for reference: OperationReference, at now: Instant
    ) {
        let step = reference.step(after: answer, at: now)
        if case .leftOver = step { return giveBack(answer, reference, at: now) }
        if answer.retryReason == .behind { foundBehind(at: now) }
        requests.carryOut(step, for: reference, at: now)
    }

    /// The results of a message, with what its proof says about the log and the topology.
    private func results(
        in message: MessageView, from connection: ShardConnection, at now: Instant
    ) throws(WireRefusal) -> ResultReader {
        let results = try ResultReader(message, from: connection.nodeID)
        saw(results.proof.position, from: connection, at: now)
        requests.hunt.heard(
            results.proof.topologyVersion, ours: requests.view.version, at: now)
        return results
    }

    /// The error in an answer to operations that brings no results for them; `nil` if it brings
    /// results.
    ///
    /// Results of another cluster count as an error. After such results, or a refusal for that
    /// reason, the client asks for the topology.
    private func refusal(
        in message: MessageView, ofWrite isWrite: Bool
    ) -> (CacheError, Duration?)? {
        let told: (CacheError, Duration?)
        switch message.type {
        case .results:
            guard message.fields.cluster.contradicts(requests.view.cluster) else {
                return nil
            }
            told = (.otherCluster(mayHaveHappened: isWrite), nil)
        case .error: told = CacheError.reading(message)
        default: told = (.violation("it is no RESULTS", mayHaveHappened: isWrite), nil)
        }
        if told.0.isOtherCluster { requests.hunt.wanted(at: MonotonicClock.now) }
        return told
    }

    // MARK: Late answers

    /// The answer to a message arrived after its timeout. It settles nothing: the operations were
    /// sent again, or their callers have gone on.
    private func answeredLate(
        _ references: [OperationReference], _ message: MessageView,
        from connection: ShardConnection, at now: Instant
    ) {
        guard message.type == .results, message.count == references.count else { return }
        do throws(WireRefusal) {
            var results = try ResultReader(message, from: connection.nodeID)
            for reference in references {
                giveBack(try results.nextAnswer(), reference, at: now)
            }
        } catch {
            // An unreadable answer gives no lease, and no caller waits for it.
        }
    }

    /// A publisher that was left for another one answers a question all the same. What it refuses
    /// says nothing: the question is asked elsewhere.
    private func answeredLate(
        _ request: AdminRequest, _ message: MessageView, _ bytes: UnsafeRawBufferPointer
    ) {
        guard message.type != .error, message.type != .notLeader else { return }
        request.settle(.success([UInt8](bytes)))
    }

    /// Gives the load lease of an answer back that no caller needs. A load that gets the same lease
    /// later waits, and retries.
    private func giveBack(
        _ answer: OperationAnswer, _ reference: OperationReference, at now: Instant
    ) {
        guard let token = reference.leaseLeft(in: answer), loop.takesUp(token),
            let request = reference.returning(
                token, to: answer.node, deadline: now.advanced(by: ClientLimits.lateRightMax))
        else { return }
        requests.accept(request, at: now)
    }

    // MARK: Plain gets

    private func answered(
        _ batch: GetBatch, _ message: MessageView, from connection: ShardConnection,
        at now: Instant
    ) {
        if let (error, retryAfter) = refusal(in: message, ofWrite: false) {
            gets.refuse(batch, error, retryAfter, by: connection.node, at: now)
        } else {
            do throws(WireRefusal) {
                var results = try results(in: message, from: connection, at: now)
                try message.check(resultCount: batch.waiting.count)
                if try gets.settle(batch, by: &results, at: now) { foundBehind(at: now) }
            } catch {
                gets.settleAll(
                    of: batch, .failed(.violation(error.sentence, mayHaveHappened: false)))
            }
        }
        gets.recycle(batch)
    }
}
