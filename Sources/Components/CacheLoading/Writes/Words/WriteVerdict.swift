package import CacheModel

/// The outcome of an attempt to send a write to an origin.
package enum WriteVerdict: Equatable, Sendable {
    /// The origin has it.
    case taken
    /// The origin refuses it for good.
    case refused(WriteRejection)
    /// Unknown, or not accepted now. The origin may have it all the same.
    case down(LoadFailure, retryAfter: Duration?)

    /// - Parameter answer: the scheduler's, to a request with this change.
    package init(of answer: LoadAnswer, to change: OriginWrite.Change) {
        switch answer {
        case .reply(let reply): self.init(of: reply, to: change)
        case .failed(.refused, _): self = .refused(WriteRejection(status: 0))
        case .failed(let failure, let retryAfter): self = .down(failure, retryAfter: retryAfter)
        }
    }

    private init(of reply: OriginReply, to change: OriginWrite.Change) {
        switch reply.status {
        case 200...299: self = .taken
        // A key to be deleted is absent.
        case 404, 410:
            self =
                change == .delete
                ? .taken : .refused(WriteRejection(status: UInt16(reply.status), words: reply.body))
        default:
            self =
                OriginStatus(reply.status).isWorthAnother
                ? .down(.unavailable, retryAfter: reply.retryAfter)
                : .refused(
                    WriteRejection(status: UInt16(clamping: reply.status), words: reply.body))
        }
    }
}
