package import CacheInvalidation

/// The reports of the log's thread.
package enum LogNews: Equatable, Sendable {
    /// An append has ended.
    case ended(LogOutcome)
    /// A segment was found damaged after the start: it and everything before it is no longer kept.
    case damaged(LogDamage)
    /// The floors of the records before the start are known.
    case floors(FloorSnapshot)
    /// This is stored; or why not, and whether nothing is stored in its place now.
    case kept(LogState, LogFileError?, isGone: Bool)
    /// The next append would fail with this error; `nil`: it would not any more.
    case refusing(LogFileError?)
    /// Something beside an append failed: a sentence for the operator.
    case trouble(String)
}
