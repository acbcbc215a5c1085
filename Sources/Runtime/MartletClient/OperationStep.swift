import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

enum OperationStep {
    case settle(DataRequest.Outcome)
    /// Send it again now, to the node that then suits.
    case route
    case delay(until: Instant)
    /// It is settled already; a load lease in the answer is not needed.
    case leftOver
}

extension OperationReference {
    func step(after answer: OperationAnswer, at now: Instant) -> OperationStep {
        guard !isSettled else { return .leftOver }
        if let error = failure(elsewhere: answer) { return .settle(.failed(error)) }
        guard let failure = answer.retryReason else { return .settle(.answered(answer)) }
        request.progress[index].lastAnswer = answer
        guard case .again(let due) = request.failed(index, failure, at: now) else {
            return .settle(.answered(answer))
        }
        return due <= now ? .route : .delay(until: due)
    }

    /// The step after a node has refused the whole message.
    ///
    /// - Parameter node: the node that refused.
    func step(
        after error: CacheError, _ retryAfter: Duration?, by node: NodeIndex?, at now: Instant
    ) -> OperationStep {
        guard !isSettled else { return .leftOver }
        if error.isOtherCluster { request.progress[index].avoided = node }
        guard error.isPassing,
            case .again(let due) = request.failed(index, .busy(retryAfter: retryAfter), at: now)
        else { return .settle(.failed(error)) }
        return .delay(until: due)
    }

    func step(afterSilenceOf peer: ShardConnection, at now: Instant) -> OperationStep {
        guard !isSettled else { return .leftOver }
        if case .again = request.failed(index, .silent, at: now) {
            request.progress[index].avoided = peer.node
            return .route
        }
        // A "not yet" says more than the silence after it. For a store it says too little.
        if let last = request.progress[index].lastAnswer, !request.isWrite {
            return .settle(.answered(last))
        }
        return .settle(.failed(.silence(of: peer.name, mayHaveHappened: request.isWrite)))
    }

    /// Why an unsent operation ends now; `nil` before its deadline. The last answer says more than
    /// the failure to retry.
    func outcome(by now: Instant, else error: CacheError) -> DataRequest.Outcome? {
        guard request.deadline <= now else { return nil }
        return request.progress[index].lastAnswer.map { .answered($0) } ?? .failed(error)
    }

    /// Why an answer of another node in place of a silent owner is not used; `nil` if it is used.
    ///
    /// The answer is used if it came from the origin just now: a value, the absence of one, or the
    /// failure of the load. A stale value in the other node's cache is not used.
    private func failure(elsewhere answer: OperationAnswer) -> CacheError? {
        guard let reason = request.progress[index].ownerFailure else { return nil }
        switch answer.status {
        case .miss where answer.flags.contains(.negative): return nil
        case .failed where answer.detail == LoadFailure.noOrigin.rawValue: break
        case .miss, nil: break
        case .stale
        where answer.ageMilliseconds > UInt64(ClientLimits.elsewhereAgeMax.wholeMilliseconds):
            break
        default: return nil
        }
        return reason
    }

    // MARK: Load leases

    /// The load lease in an answer that came too late, if it is to be given back. Otherwise the
    /// node would make every other caller wait for a load that no client performs.
    ///
    /// - Returns: `nil` if the operation is still being retried at that node, or was settled with
    ///   this lease.
    func leaseLeft(in answer: OperationAnswer) -> FillToken? {
        let progress = request.progress[index]
        guard request.wantsToken, let token = answer.fields.token,
            isSettled || progress.asked != answer.node
        else { return nil }
        if case .answered(let used) = progress.outcome, used.fields.token?.nonce == token.nonce {
            return nil
        }
        return token
    }

    /// The request that gives the lease of an answer back; `nil` if its body has no key.
    func returning(
        _ token: FillToken, to node: NodeID?, deadline: Instant
    ) -> DataRequest? {
        let key = operation.body.withUnsafeBytes { body in
            do throws(WireRefusal) {
                var reader = ByteReader(body)
                return CacheKey(bytes: [UInt8](try GetOperation(decoding: &reader).key))
            } catch {
                preconditionFailure("this client wrote it: \(error.sentence)")
            }
        }
        return key.map {
            Store(returning: token, of: $0)
                .request(in: envelope.namespace, at: node, deadline: deadline)
        }
    }
}

extension OperationAnswer {
    /// Why the operation may be retried; `nil` if the answer settles it.
    var retryReason: RetrySchedule.Failure? {
        RetrySchedule.Failure(status, detail: detail, retryAfter: retryAfter)
    }
}

/// The results in the answer to operations, one after another. Valid as long as the message.
struct ResultReader {
    let proof: Proof
    let node: NodeID?
    private var reader: ByteReader

    /// - Parameter node: the node that answered.
    init(_ message: MessageView, from node: NodeID?) throws(WireRefusal) {
        reader = ByteReader(message.body)
        proof = try Proof(decoding: &reader)
        self.node = node
    }

    mutating func next() throws(WireRefusal) -> OperationResult {
        try OperationResult(decoding: &reader)
    }

    mutating func nextAnswer() throws(WireRefusal) -> OperationAnswer {
        try OperationAnswer(next(), proof: proof, node: node)
    }
}

extension MessageView {
    /// - Throws: unless there is a result for each operation.
    func check(resultCount: Int) throws(WireRefusal) {
        guard count == resultCount else {
            throw WireRefusal(.malformed, "it has another number of results than was asked for")
        }
    }
}
