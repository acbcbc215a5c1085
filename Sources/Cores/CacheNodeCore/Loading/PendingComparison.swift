import CacheAccess
import CacheMemory
import CacheModel

/// A comparison that waits for its origin's answer.
struct PendingComparison {
    /// The node's value of the key when the origin was asked.
    struct Shown: Equatable {
        /// `nil`: there is no value.
        var value: ValueImprint?
        var fill: FillStamp
        var isUnfenced: Bool
    }

    /// The waiting request.
    var request: UInt64
    /// The principal whose share of the comparisons it uses; `nil`: no share.
    var shareholder: PrincipalNumber?
    var key: CacheKey
    var namespace: NamespaceNumber
    var shown: Shown
    var askedAt: Instant
}
