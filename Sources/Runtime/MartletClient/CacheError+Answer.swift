import CacheModel
import CacheWire

extension CacheError {
    /// The error in an answer to a read.
    init(_ answer: OperationAnswer) {
        let node = answer.node.map { "node \($0)" } ?? "the node"
        switch answer.status {
        case .busy, .deferred:
            self.init(.busy, "\(node) had no room for it until the deadline; try again later")
        case .behind where answer.detail == BehindReason.lease.rawValue:
            self.init(
                .behind,
                "\(node) has lost touch with the publisher and its namespace refuses to guess; "
                    + "allow stale values or wait for it")
        case .behind where answer.detail == BehindReason.head.rawValue:
            self.init(
                .behind,
                "\(node) could not learn the publisher's position in time, and nothing less was "
                    + "asked for; try again, or do without --fresh")
        case .behind:
            self.init(
                .behind,
                "\(node) is at \(answer.proof.position) and did not reach the position asked "
                    + "for in time; wait longer or demand less")
        case .refused:
            self.init(refusedBy: node, answer)
        case .failed:
            let failure = LoadFailure(rawValue: answer.detail)
            let reason = failure?.sentence ?? "loading it failed for a cause not known here"
            let when = answer.retryAfter.map { " (try again in \($0.wholeMilliseconds) ms)" } ?? ""
            self.init(.loadFailed, "\(node): \(reason)\(when)", loadFailure: failure)
        default:
            self.init(
                .protocolViolation, "\(node) answered something else than was asked",
                mayHaveHappened: true)
        }
    }

    /// The error in an answer to a change. BEHIND to a change without a required position means:
    /// the change was ordered, or sent to the origin, and the node does not show it yet.
    init(ofChange answer: OperationAnswer) {
        let error = CacheError(answer)
        guard answer.status == .behind else {
            self = error
            return
        }
        self.init(
            error.code, "it may have been done: \(error.message)", mayHaveHappened: true)
    }

    private init(refusedBy node: String, _ answer: OperationAnswer) {
        let cause = StoreRefusal(rawValue: answer.detail)
        let reason = answer.fields.message ?? cause?.sentence ?? "for a cause not known here"
        self.init(
            cause == .tooLarge ? .valueTooLarge : .refused, "\(node) refused: \(reason)",
            // The publisher may order it later, and then it takes effect.
            mayHaveHappened: cause == .publisherUnreachable, refusal: cause)
    }

    /// Whether no process answered.
    var isUnreachable: Bool { code == .disconnected || code == .timedOut }
}
