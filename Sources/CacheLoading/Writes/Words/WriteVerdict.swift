package import CacheModel

/// What an attempt to tell an origin of a write came to.
package enum WriteVerdict: Equatable, Sendable {
    /// It has it.
    case taken
    /// It does not want it, and never will.
    case refused(WriteRejection)
    /// Nothing is known, or not now. It may have it all the same.
    case down(LoadFailure, retryAfter: Duration?)

    /// - Parameter answer: the desk's, to a request with this change.
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
        // What is to be gone is gone.
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
