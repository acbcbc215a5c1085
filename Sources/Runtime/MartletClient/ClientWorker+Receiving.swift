import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ
import Threading

extension ClientWorker {
    /// Receives the answers of every connection that has some.
    func receiveAll() throws(ZeroMQError) {
        // Answers may open connections; those have no answers yet.
        let open = connections
        for connection in open {
            guard let index = connection.pollIndex, poller.isReady(index) else { continue }
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
            watchSilence(of: connection)
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
        guard let sent = inFlight[message.requestID], sent.connection === connection else { return }
        close(message.requestID)
        switch sent.content {
        case .probe: break
        case .topology: answeredHunt(message, from: connection, at: now)
        case .question(let request): answered(request, message, bytes, at: now)
        case .operations(let references):
            measure(sent, at: now)
            answered(references, message, from: connection, at: now)
        case .late(let references):
            answeredLate(references, message, from: connection, at: now)
        case .gets(let batch):
            measure(sent, at: now)
            connection.window.ended()
            answered(batch, message, from: connection, at: now)
        }
    }

    /// A message was answered, or is given up.
    func close(_ id: UInt64) {
        inFlight.close(id)?.connection.watch.ended()
    }

    private func measure(_ sent: Sent, at now: Instant) {
        guard let node = sent.connection.node else { return }
        roundTrips.measured(node, now.elapsed(since: sent.sentAt))
    }

    /// An answer cannot be read. If its request is known, the request fails without further
    /// waiting.
    private func violated(by connection: ShardConnection, id: UInt64, _ reason: String) {
        guard let sent = inFlight[id], sent.connection === connection else { return }
        close(id)
        switch sent.content {
        case .topology: hunt.failed(at: sent.sentAt)
        case .late, .probe: break
        case .question(let request):
            request.settle(.failure(Self.violation(reason, request.mayHaveHappened)))
        case .operations(let references):
            for reference in references {
                settle(reference, .failed(Self.violation(reason, reference.request.isWrite)))
            }
        case .gets(let batch):
            connection.window.ended()
            settleAll(of: batch, .failed(Self.violation(reason, false)))
            recycle(batch)
        }
    }

    static func violation(_ reason: String, _ mayHaveHappened: Bool) -> CacheError {
        CacheError(
            .protocolViolation,
            "the answer cannot be read (\(reason)); check that both sides speak the same version",
            mayHaveHappened: mayHaveHappened)
    }

    private func answered(
        _ request: AdminRequest, _ message: MessageView, _ bytes: UnsafeRawBufferPointer,
        at now: Instant
    ) {
        guard message.type == .error else {
            request.settle(.success([UInt8](bytes)))
            return
        }
        let (error, retryAfter) = Self.reading(errorIn: message)
        if error.isOtherCluster { hunt.wanted(at: now) }
        guard error.isPassing,
            case .again(let due) = request.schedule.failed(
                .busy(retryAfter: retryAfter), at: now)
        else {
            request.settle(.failure(error))
            return
        }
        delay(.question(request), until: due)
    }

    private func answered(
        _ references: [OperationReference], _ message: MessageView,
        from connection: ShardConnection, at now: Instant
    ) {
        if let (error, retryAfter) = refusal(in: message, ofWrite: references[0].request.isWrite) {
            if error.code == .unauthorised, references.count > 1 {
                // One key exceeded the permissions, and nothing was done: each operation is retried
                // by itself.
                for reference in references {
                    reference.request.goAlone(reference.index)
                    route(reference, at: now)
                }
                return
            }
            for reference in references {
                refused(reference, error, retryAfter, by: connection, at: now)
            }
            return
        }
        do throws(WireRefusal) {
            var reader = ByteReader(message.body)
            let proof = try Proof(decoding: &reader)
            saw(proof.position, from: connection, at: now)
            hunt.heard(proof.topologyVersion, ours: topology?.version, at: now)
            guard message.count == references.count else {
                throw WireRefusal(.malformed, "it has another number of results than was asked for")
            }
            for reference in references {
                let answer = try OperationAnswer(
                    decoding: &reader, proof: proof, node: connection.nodeID)
                consider(answer, for: reference, at: now)
            }
        } catch {
            for reference in references {
                let reason = Self.violation(error.sentence, reference.request.isWrite)
                settle(reference, .failed(reason))
            }
        }
    }

    /// Settles an operation by its answer, or retries it.
    private func consider(
        _ answer: OperationAnswer, for reference: OperationReference, at now: Instant
    ) {
        guard !reference.isSettled else {
            giveBack(answer, reference, at: now)
            return
        }
        if let error = reference.failure(elsewhere: answer) {
            settle(reference, .failed(error))
            return
        }
        let failure = RetrySchedule.Failure(
            answer.status, detail: answer.detail, retryAfter: answer.retryAfter)
        guard let failure else {
            settle(reference, .answered(answer))
            return
        }
        if failure == .behind { foundBehind(at: now) }
        reference.request.heard(answer, reference.index)
        switch reference.request.failed(reference.index, failure, at: now) {
        case .giveUp: settle(reference, .answered(answer))
        case .again(let due) where due <= now: route(reference, at: now)
        case .again(let due): delay(.operation(reference), until: due)
        }
    }

    private func refused(
        _ reference: OperationReference, _ error: CacheError, _ retryAfter: Duration?,
        by connection: ShardConnection, at now: Instant
    ) {
        guard !reference.isSettled else { return }
        if error.isOtherCluster { reference.request.avoid(connection.node, reference.index) }
        guard error.isPassing,
            case .again(let due) = reference.request.failed(
                reference.index, .busy(retryAfter: retryAfter), at: now)
        else {
            settle(reference, .failed(error))
            return
        }
        delay(.operation(reference), until: due)
    }

    func delay(_ content: Delayed.Content, until due: Instant) {
        delayed.append(Delayed(due: due, content: content))
        nextDue = min(nextDue, due)
    }

    /// The error in an answer to operations that brings no results for them; `nil` if it brings
    /// results.
    ///
    /// Results of another cluster count as an error. After such results, or a refusal for that
    /// reason, the client asks for the topology.
    func refusal(in message: MessageView, ofWrite isWrite: Bool) -> (CacheError, Duration?)? {
        let told: (CacheError, Duration?)
        switch message.type {
        case .results:
            guard message.fields.cluster.contradicts(topology?.cluster ?? .none) else { return nil }
            told = (.otherCluster(mayHaveHappened: isWrite), nil)
        case .error: told = Self.reading(errorIn: message)
        default: told = (Self.violation("it is no RESULTS", isWrite), nil)
        }
        if told.0.isOtherCluster { hunt.wanted(at: MonotonicClock.now) }
        return told
    }

    /// The error of this library for an ERROR message.
    static func reading(errorIn message: MessageView) -> (CacheError, Duration?) {
        do {
            let reply = try ErrorReply(decoding: message)
            let retryAfter = reply.retryAfterMilliseconds.map {
                Duration.milliseconds(Int64($0))
            }
            switch reply.knownCode {
            case .busy: return (CacheError(.busy, "\(reply.message); try again later"), retryAfter)
            case .unavailable: return (CacheError(.disconnected, reply.message), nil)
            case .unauthorised: return (CacheError(.unauthorised, reply.message), nil)
            case .wrongCluster: return (.otherCluster(mayHaveHappened: false), nil)
            case .unknownType, .unsupported:
                return (CacheError(.refused, reply.message, isUnsupported: true), nil)
            default: return (CacheError(.refused, reply.message), nil)
            }
        } catch {
            return (violation(error.sentence, true), nil)
        }
    }
}
