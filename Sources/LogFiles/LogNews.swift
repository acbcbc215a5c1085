package import CacheInvalidation

/// What the log's thread tells.
package enum LogNews: Equatable, Sendable {
    /// An append has ended.
    case ended(LogOutcome)
    /// A segment was found damaged after the start: it and everything before it is no longer kept.
    case damaged(LogDamage)
    /// What the records before the start have touched is known.
    case floors(FloorSnapshot)
    /// The pacings are kept; or why they could not be.
    case kept(LogFileError?)
    /// Whose life of each node was the last is kept; or why it could not be, and whether nothing
    /// of it is kept now.
    case nodesKept(LogFileError?, isGone: Bool)
    /// The cluster's identity is kept; or why not.
    case clusterKept(LogFileError?)
    /// The next append would fail, for that; `nil`: it would not any more.
    case refusing(LogFileError?)
    /// Something beside an append failed: a sentence for the operator.
    case trouble(String)
}
