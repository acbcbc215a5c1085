package import CacheModel

/// The end of a load, not yet interpreted.
package enum LoadAnswer: Equatable, Sendable {
    /// The origin's last answer of any kind: a value, a 404, or the 503 after which no attempt was
    /// left.
    case reply(OriginReply)
    /// No answer from the origin.
    ///
    /// - Parameter retryAfter: when another load may succeed; `nil`: unknown.
    case failed(LoadFailure, retryAfter: Duration?)
}
