package import CacheInvalidation

/// What the log's thread tells.
package enum LogNews: Equatable, Sendable {
    /// An append has ended.
    case ended(LogOutcome)
    /// Something beside an append failed: a sentence for the operator.
    case trouble(String)
}
