/// What a namespace with a quota has of a tier.
package struct QuotaUsage: Equatable, Sendable {
    package var namespace: NamespaceNumber
    /// What its entries weigh: bytes, with their bookkeeping.
    package var weight: Int
    /// Its entries in memory.
    package var entryCount: Int
    /// How many it may have; `nil`: no bound.
    package var entriesMax: Int?
    /// Entries that were evicted since it has a quota, for whatever namespace's need.
    package var evictions: UInt64
}
