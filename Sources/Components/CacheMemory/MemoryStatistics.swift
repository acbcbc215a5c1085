package import CacheModel

/// State and counters of a memory tier, as a value. Counters start with the tier.
package struct MemoryStatistics: Sendable {
    package var entryCount = 0
    /// Maximum number of entries; `nil`: limited by memory only.
    package var entriesMax: Int?
    /// Memory that may be in use: `residentBytesMax` unless memory is short.
    package var budgetBytes = 0
    /// Memory in use now, in bytes: touched slots, index and policy. Never above
    /// `residentBytesMax`.
    package var residentBytes = 0
    /// Part of it: free slots that were touched.
    package var holeBytes = 0
    /// Part of it: the index.
    package var indexBytes = 0
    /// Part of it: ghosts and similar state.
    package var policyBytes = 0
    /// Entries moved to close holes.
    package var moves: UInt64 = 0
    /// Lookups that found a visible entry, including soft ones.
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    /// Hits on entries that a soft invalidation covers.
    package var softHits: UInt64 = 0
    /// Stores that were admitted.
    package var stores: UInt64 = 0
    package var promotions: UInt64 = 0
    /// Entries confirmed by the origin.
    package var renewals: UInt64 = 0
    package var removals: [RemovalCause: UInt64] = [:]
    package var refusals: [StoreRefusal: UInt64] = [:]
    /// Tags with a record of their own.
    package var tagCount = 0
    package var prefixFloorCount = 0
    package var keyFloorCount = 0
    /// Tokens below it are refused.
    package var tokenBase = FillStamp.none
    /// Completed rounds over the tier.
    package var sweeps: UInt64 = 0
}

/// The counters behind ``MemoryStatistics``, in the tier's internal layout.
struct MemoryCounters {
    /// All but those by cause; its gauges are set when it is asked for.
    var sums = MemoryStatistics()
    /// By raw value.
    private var removals = [UInt64](repeating: 0, count: 256)
    private var refusals = [UInt64](repeating: 0, count: 256)

    mutating func count(_ cause: RemovalCause) { removals[Int(cause.rawValue)] &+= 1 }
    mutating func count(_ refusal: StoreRefusal) { refusals[Int(refusal.rawValue)] &+= 1 }

    /// All counters as a value; the caller adds the gauges.
    var statistics: MemoryStatistics {
        var result = sums
        for cause in RemovalCause.allCases {
            result.removals[cause] = removals[Int(cause.rawValue)]
        }
        for refusal in StoreRefusal.allCases {
            result.refusals[refusal] = refusals[Int(refusal.rawValue)]
        }
        return result
    }
}
