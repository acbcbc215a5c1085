import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

/// Gives back load leases that arrive after their caller has gone. Otherwise the node would make
/// every other caller wait for a load that no client performs.
extension ClientWorker {
    /// Continues to wait for the answer to a message that may bring load leases.
    ///
    /// - Returns: whether it continues; then the message stays open.
    func keepLooking(_ id: UInt64, _ sent: Sent, at now: Instant) -> Bool {
        guard case .operations(let references) = sent.content,
            references.contains(where: \.request.wantsToken),
            inFlight.count < ClientLimits.lateAnswersMax
        else { return false }
        var late = sent
        late.content = .late(references)
        late.expiry = now.advanced(by: ClientLimits.lateRightMax)
        inFlight[id] = late
        nextDue = min(nextDue, late.expiry)
        return true
    }

    /// The answer to a message arrived after its timeout. It settles nothing: the operations were
    /// sent again, or their callers have gone on.
    func answeredLate(
        _ references: [OperationReference], _ message: MessageView,
        from connection: ShardConnection, at now: Instant
    ) {
        guard message.type == .results, message.count == references.count else { return }
        do throws(WireRefusal) {
            var reader = ByteReader(message.body)
            let proof = try Proof(decoding: &reader)
            for reference in references {
                let answer = try OperationAnswer(
                    decoding: &reader, proof: proof, node: connection.nodeID)
                giveBack(answer, reference, at: now)
            }
        } catch {
            // An unreadable answer gives no lease, and no caller waits for it.
        }
    }

    /// Gives the lease of an answer back. It does not if the operation is still being retried at
    /// that node, was settled with this lease, or if another load has taken the lease.
    func giveBack(_ answer: OperationAnswer, _ reference: OperationReference, at now: Instant) {
        let request = reference.request
        let progress = request.progress[reference.index]
        guard request.wantsToken, let token = answer.fields.token,
            reference.isSettled || progress.asked != answer.node
        else { return }
        if case .answered(let used) = progress.outcome,
            used.fields.token?.nonce == token.nonce
        {
            return
        }
        // A load that gets the same lease later waits, and retries.
        guard loop.takesUp(token) else { return }
        guard let key = Self.key(of: reference.operation) else { return }
        let right = Store(returning: token, of: key)
        accept(
            right.request(
                in: reference.envelope.namespace, at: answer.node,
                deadline: now.advanced(by: ClientLimits.lateRightMax)), at: now)
    }

    private static func key(of get: DataRequest.Operation) -> CacheKey? {
        get.body.withUnsafeBytes { body in
            do throws(WireRefusal) {
                var reader = ByteReader(body)
                return CacheKey(bytes: [UInt8](try GetOperation(decoding: &reader).key))
            } catch {
                preconditionFailure("this client wrote it: \(error.sentence)")
            }
        }
    }
}

extension Store {
    /// Says that a load lease is not needed: a renewal without an ETag or version. In every
    /// release, a node refuses it and ends the lease.
    init(returning token: FillToken, of key: CacheKey) {
        self.key = key
        value = []
        description = SetOperation.Description()
        description.token = token
        description.options = .renew
    }

    /// A separate request for this one store.
    func request(
        in namespace: Namespace, at node: NodeID?, deadline: Instant
    ) -> DataRequest {
        let request = DataRequest(
            Envelope(type: .set, namespace: namespace, bringsTokens: true),
            placement: node.map { .node($0) } ?? .routed, deadline: deadline,
            operations: [operation(in: namespace)])
        request.goAlone(0)
        return request
    }
}
