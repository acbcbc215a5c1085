package import CacheModel

/// What a memory tier holds and has done, as a value. Counters count since the tier was made.
package struct MemoryStatistics: Sendable {
    package var entryCount = 0
    /// Most entries there may be; `nil`: no bound but memory.
    package var entriesMax: Int?
    /// What may be in use: `residentBytesMax` unless memory is short.
    package var budgetBytes = 0
    /// Memory in use now, in bytes: slots that were touched, index and policy. Never above
    /// `residentBytesMax`.
    package var residentBytes = 0
    /// Part of it: free slots that were touched.
    package var holeBytes = 0
    /// Part of it: the index.
    package var indexBytes = 0
    /// Part of it: ghosts and the like.
    package var policyBytes = 0
    /// Entries moved to close holes.
    package var moves: UInt64 = 0
    /// Lookups that found a visible entry, soft ones included.
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    /// Hits on entries that a soft invalidation covers.
    package var softHits: UInt64 = 0
    /// Stores that were admitted.
    package var stores: UInt64 = 0
    /// Entries that came back from the disk.
    package var promotions: UInt64 = 0
    /// Entries of which the origin said that they still hold.
    package var renewals: UInt64 = 0
    package var removals: [RemovalCause: UInt64] = [:]
    package var refusals: [StoreRefusal: UInt64] = [:]
    /// Tags with a record of their own.
    package var tagCount = 0
    package var prefixFloorCount = 0
    package var keyFloorCount = 0
    /// Tokens below it are refused.
    package var tokenBase = FillStamp.none
    /// Full rounds over the tier.
    package var sweeps: UInt64 = 0
}

/// The counters behind ``MemoryStatistics``, in the shape the tier counts in.
struct MemoryCounters {
    var hits: UInt64 = 0
    var misses: UInt64 = 0
    var softHits: UInt64 = 0
    var stores: UInt64 = 0
    var promotions: UInt64 = 0
    var renewals: UInt64 = 0
    var sweeps: UInt64 = 0
    var moves: UInt64 = 0
    /// By raw value.
    private var removals = [UInt64](repeating: 0, count: 256)
    private var refusals = [UInt64](repeating: 0, count: 256)

    mutating func count(_ cause: RemovalCause) { removals[Int(cause.rawValue)] &+= 1 }
    mutating func count(_ refusal: StoreRefusal) { refusals[Int(refusal.rawValue)] &+= 1 }

    /// Every counter, copied into a value; the gauges are the caller's.
    var statistics: MemoryStatistics {
        var result = MemoryStatistics()
        result.hits = hits
        result.misses = misses
        result.softHits = softHits
        result.stores = stores
        result.promotions = promotions
        result.renewals = renewals
        result.sweeps = sweeps
        result.moves = moves
        for cause in RemovalCause.allCases {
            result.removals[cause] = removals[Int(cause.rawValue)]
        }
        for refusal in StoreRefusal.allCases {
            result.refusals[refusal] = refusals[Int(refusal.rawValue)]
        }
        return result
    }
}
