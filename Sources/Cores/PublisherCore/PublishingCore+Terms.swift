package import CacheInvalidation
package import CacheModel
package import CacheWire

/// The begin and the end of a term, where several publishers lead one log in turn:
/// docs/decisions/0118.
extension PublishingCore {
    /// Continues with what is known of the log's records. Call it before any message is passed in.
    ///
    /// - Parameter floors: of the log at its head; `nil`: they begin there.
    package mutating func recall(
        _ operations: OperationMemory, _ floors: FloorSnapshot?, now: Instant
    ) {
        let isOn = plan.guards.isOn(.operationsRecalled)
        appender.recall(isOn ? operations : OperationMemory(), now: now)
        if let floors { floorsArrived(floors) }
    }

    /// The log was set back: records or epochs up to `lost` may be known to nodes, and are not in
    /// it. It goes on in a later epoch.
    package mutating func openEpoch(behind lost: Epoch) {
        guard log.hasHistory else { return history.lost(lost) }
        openEpoch(max(log.head.position.epoch, lost).next)
    }

    /// Another publisher has seen this mark, and the store was set back. If it is not the log's,
    /// the log goes on in a later epoch.
    package mutating func heardOfLoss(_ mark: LogMark, of id: LogID) {
        guard log.hasHistory else { return history.lost(mark.position.epoch) }
        let standing = id == log.id ? log.standing(of: mark) : .unlike
        guard mark.position.epoch >= log.head.position.epoch,
            standing == .ahead || standing == .unlike
        else { return }
        openEpoch(mark.position.epoch.next)
    }

    /// Another publisher leads, or will: every client that waits is told so. Messages that come
    /// later are not for this core.
    ///
    /// - Parameter leader: its endpoints, as far as they are known.
    package mutating func handOver(
        to leader: NotLeader, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        isStopping = true
        var answer = leader
        for (requester, mayHaveHappened) in appender.handOver() {
            answer.mayHaveHappened = mayHaveHappened
            reply(answer, to: requester)
        }
        answer.mayHaveHappened = true
        for requester in receipts.handOver() + pacings.handOver() { reply(answer, to: requester) }
        answer.mayHaveHappened = false
        for requester in follows.handOver() { reply(answer, to: requester) }
        for held in confirmations.handOver() {
            let requestID = held.frame.withUnsafeBytes { MessageHeader.requestID(ofDamaged: $0) }
            reply(
                answer,
                to: Requester(
                    peer: held.sender.peer, requestID: requestID, principal: held.sender.principal))
        }
    }

    private mutating func reply(_ answer: NotLeader, to requester: Requester) {
        output.reply(to: requester) { answer.encode(requestID: requester.requestID, into: &$0) }
    }
}
