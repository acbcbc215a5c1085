package import CacheModel

/// The end of a load, before anybody has judged it.
package enum LoadAnswer: Equatable, Sendable {
    /// The origin's last word, whatever it is: a value, a 404, or the 503 after which no attempt
    /// was left.
    case reply(OriginReply)
    /// No word of the origin.
    ///
    /// - Parameter retryAfter: when another load may do better; `nil`: nothing is known.
    case failed(LoadFailure, retryAfter: Duration?)
}
