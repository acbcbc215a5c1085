package import CacheModel

/// What came of one attempt.
package enum AttemptOutcome: Equatable, Sendable {
    case answered(OriginReply)
    /// Nothing whole came: `timedOut`, `unreachable`, `tooLarge` or `malformed`. Or nothing was
    /// asked to the end: `refused` (a key that must not be put into a request), `cancelled`, or
    /// `overloaded`.
    case failed(LoadFailure)
}
