/// Counters of a tier since it was opened.
package struct DiskStatistics: Equatable, Sendable {
    package var appendedRecords: UInt64 = 0
    package var appendedBytes: UInt64 = 0
    /// Bytes of keys and values among them.
    package var payloadBytes: UInt64 = 0
    package var tombstones: UInt64 = 0
    /// Stores of values in parts.
    package var dividedStores: UInt64 = 0
    package var movedRecords: UInt64 = 0
    package var writtenBytes: UInt64 = 0
    package var reads: UInt64 = 0
    package var readsShed: UInt64 = 0
    package var storesShed: UInt64 = 0
    package var damagedRecords: UInt64 = 0
    package var voidedReads: UInt64 = 0
    package var reclaimedSegments: UInt64 = 0
    /// Segments that released their space.
    package var withdrawnSegments: UInt64 = 0

    package init() {}
}
