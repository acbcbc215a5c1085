/// Usage of a tier by a namespace with a quota.
package struct QuotaUsage: Equatable, Sendable {
    package var namespace: NamespaceNumber
    /// Weight of its entries: bytes, including bookkeeping.
    package var weight: Int
    /// Its entries in memory.
    package var entryCount: Int
    /// Maximum number of entries; `nil`: no limit.
    package var entriesMax: Int?
    /// Entries evicted since it has a quota, for any namespace's store.
    package var evictions: UInt64
}
