import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

/// A session's demands rest on claims of nodes. If a claim is in doubt, the publisher is asked.
extension ClientWorker {
    /// A node claims that its answer reflects a position.
    func saw(_ position: LogPosition, from connection: ShardConnection, at now: Instant) {
        if loop.saw(position, by: connection.nodeID) { askForHead(at: now) }
    }

    /// A shard did not reach the demanded position in time. Perhaps it lags; perhaps another node
    /// claimed a position that the log never had.
    func foundBehind(at now: Instant) {
        if loop.position.isUnconfirmed { askForHead(at: now) }
    }

    private func askForHead(at now: Instant) {
        guard now >= nextHeadQuestion else { return }
        nextHeadQuestion = Self.never
        var question = FollowRequest(after: .none, limit: 1, holdMilliseconds: 0)
        question.isFromHead = true
        let request = AdminRequest(
            .publisher, .read(until: now.advanced(by: ClientLimits.attemptTimeout))
        ) { question.encode(requestID: 0, into: &$0) }
        request.whenSettled = { [weak self] result in self?.toldHead(result, askedAt: now) }
        loop.change { $0.asks() }
        accept(request, at: now)
    }

    private func toldHead(_ result: Result<[UInt8], CacheError>, askedAt asked: Instant) {
        nextHeadQuestion = asked.advanced(by: ClientLimits.headPause)
        do throws(CacheError) {
            let answer = try AdminRequest.decode(try result.get(), .followed) {
                message throws(WireRefusal) in try Followed(decoding: message)
            }
            _ = loop.change { $0.wasAnswered(head: answer.head) }
        } catch {
            // The publisher is down, or this key has no permission for the question: the node's
            // claim stands.
            loop.change { $0.wasNotAnswered() }
        }
    }
}
