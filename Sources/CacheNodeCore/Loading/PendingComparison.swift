import CacheAccess
import CacheMemory
import CacheModel

/// A comparison whose origin was asked and has not answered yet.
struct PendingComparison {
    /// What would be shown of the key when the origin was asked.
    struct Shown: Equatable {
        /// `nil`: that there is no value.
        var value: ValueImprint?
        var fill: FillStamp
        var isUnfenced: Bool
    }

    /// Who waits for it.
    var request: UInt64
    /// Whose share of the comparisons it takes; `nil`: nobody's.
    var shareholder: PrincipalNumber?
    var key: CacheKey
    var namespace: NamespaceNumber
    var shown: Shown
    var askedAt: Instant
}
