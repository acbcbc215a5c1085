import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

extension ClientWorker {
    /// A message of plain gets was answered.
    func answered(
        _ batch: GetBatch, _ message: MessageView, from connection: ShardConnection,
        at now: Instant
    ) {
        if let (error, retryAfter) = refusal(in: message, ofWrite: false) {
            let isShared = batch.waiting.count > 1
            for index in batch.waiting.indices {
                if error.code == .unauthorised, isShared {
                    // One key exceeded the permissions: each get is retried by itself.
                    var attempt = FailedAttempt(
                        schedule: schedule(of: batch.waiting[index]), due: now)
                    attempt.isAlone = true
                    settle(batch, index, .again(attempt))
                    continue
                }
                let ending = refused(
                    batch.waiting[index], error, retryAfter, by: connection, at: now)
                settle(batch, index, ending)
            }
        } else {
            do {
                try take(message, for: batch, from: connection, at: now)
            } catch {
                settleAll(of: batch, .failed(Self.violation(error.sentence, false)))
            }
        }
        recycle(batch)
    }

    private func take(
        _ message: MessageView, for batch: GetBatch, from connection: ShardConnection,
        at now: Instant
    ) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        let proof = try Proof(decoding: &reader)
        saw(proof.position, from: connection, at: now)
        hunt.heard(proof.topologyVersion, ours: topology?.version, at: now)
        guard message.count == batch.waiting.count else {
            throw WireRefusal(.malformed, "it has another number of results than was asked for")
        }
        let node = connection.nodeID
        for index in batch.waiting.indices {
            let result = try OperationResult(decoding: &reader)
            let ending = try ending(result, batch.waiting[index], proof, node, at: now)
            settle(batch, index, ending)
        }
    }

    /// The outcome that a result means for the get that waits for it.
    private func ending(
        _ result: OperationResult, _ waiting: GetBatch.Waiting, _ proof: Proof, _ node: NodeID?,
        at now: Instant
    ) throws(WireRefusal) -> ReadEnding {
        if result.fields.isEmpty {
            switch result.status {
            case .hit, .stale: return .found(CachedValue(result, proof, node))
            case .miss, nil: return .missing
            default: break
            }
        }
        let answer = try OperationAnswer(result, proof: proof, node: node)
        switch answer.status {
        case .hit, .stale:
            return answer.fields.whole == nil
                ? .found(CachedValue(answer)) : .firstPart(answer)
        case .miss, nil: return .missing
        default: break
        }
        let failure = RetrySchedule.Failure(
            answer.status, detail: answer.detail, retryAfter: answer.retryAfter)
        if failure == .behind { foundBehind(at: now) }
        var schedule = schedule(of: waiting)
        guard let failure, case .again(let due) = schedule.failed(failure, at: now) else {
            return .failed(CacheError(answer))
        }
        return .again(FailedAttempt(schedule: schedule, due: due, answer: answer))
    }

    /// The other side refused the whole message.
    private func refused(
        _ waiting: GetBatch.Waiting, _ error: CacheError, _ retryAfter: Duration?,
        by connection: ShardConnection, at now: Instant
    ) -> ReadEnding {
        var schedule = schedule(of: waiting)
        guard error.isPassing,
            case .again(let due) = schedule.failed(.busy(retryAfter: retryAfter), at: now)
        else { return .failed(error) }
        let avoided = error.isOtherCluster ? connection.node : nil
        return .again(FailedAttempt(schedule: schedule, due: due, avoided: avoided))
    }

    /// A message of plain gets was not answered in time.
    func silent(_ batch: GetBatch, _ connection: ShardConnection, at now: Instant) {
        for (index, waiting) in batch.waiting.enumerated() {
            var schedule = schedule(of: waiting)
            if case .again(let due) = schedule.failed(.silent, at: now) {
                let attempt = FailedAttempt(
                    schedule: schedule, due: due, avoided: connection.node)
                settle(batch, index, .again(attempt))
            } else {
                settle(batch, index, .failed(Self.silence(peerName(connection), false)))
            }
        }
        recycle(batch)
    }

    func peerName(_ connection: ShardConnection) -> String {
        connection.nodeID.map { "node \($0)" } ?? connection.endpoint
    }

    private func schedule(of waiting: GetBatch.Waiting) -> RetrySchedule {
        RetrySchedule(.read, deadline: waiting.deadline, seed: waiting.ticket)
    }
}
