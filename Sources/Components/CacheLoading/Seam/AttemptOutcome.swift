package import CacheModel

/// The outcome of one attempt.
package enum AttemptOutcome: Equatable, Sendable {
    case answered(OriginReply)
    /// No complete answer: `timedOut`, `unreachable`, `tooLarge` or `malformed`. Or no complete
    /// request: `refused` (a key that must not be inserted into a request), `cancelled`, or
    /// `overloaded`.
    case failed(LoadFailure)
}
