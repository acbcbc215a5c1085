import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

/// What a session demands rests on nodes' words, and the publisher is asked where one is in doubt.
extension ClientWorker {
    /// An answer reflects a position, says its node.
    func saw(_ position: LogPosition, from connection: ShardConnection, at now: Instant) {
        if loop.saw(position, by: connection.nodeID) { askForHead(at: now) }
    }

    /// A shard has not come in time to what was demanded of it. Perhaps it lags; perhaps another
    /// one named a place where the log has never been.
    func foundBehind(at now: Instant) {
        if loop.position.isUnconfirmed { askForHead(at: now) }
    }

    private func askForHead(at now: Instant) {
        guard now >= nextHeadQuestion else { return }
        nextHeadQuestion = Self.never
        var question = FollowRequest(after: .none, limit: 1, holdMilliseconds: 0)
        question.isFromHead = true
        var message = ByteWriter()
        question.encode(requestID: 0, into: &message)
        let request = AdminRequest(
            .publisher, message: message.array,
            schedule: RetrySchedule(
                .read, deadline: now.advanced(by: ClientLimits.attemptTimeout), seed: 0))
        request.whenSettled = { [weak self] result in self?.toldHead(result, askedAt: now) }
        loop.change { $0.asks() }
        accept(request, at: now)
    }

    private func toldHead(_ result: Result<[UInt8], CacheError>, askedAt asked: Instant) {
        nextHeadQuestion = asked.advanced(by: ClientLimits.headPause)
        do throws(CacheError) {
            let answer = try CacheClient.decode(try result.get(), .followed) {
                message throws(WireRefusal) in try Followed(decoding: message)
            }
            _ = loop.change { $0.wasAnswered(head: answer.head) }
        } catch {
            // It is away, or this key may not ask it that: the node's word stands.
            loop.change { $0.wasNotAnswered() }
        }
    }
}
