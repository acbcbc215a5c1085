import ByteCoding

/// The context that a checksum covers besides the bytes: their owner and address.
///
/// So bytes left by an earlier round of the ring, or moved ones, are not valid.
package struct RecordSeal: Sendable {
    package let tier: UInt64

    package init(tier: UInt64) { self.tier = tier }

    /// The checksum of `bytes` at `offset` of that segment.
    package func checksum(
        _ bytes: UnsafeRawBufferPointer, in segment: SegmentNumber, at offset: Int
    ) -> UInt32 {
        CRC32C.checksum(bytes) ^ binding(segment, offset)
    }

    private func binding(_ segment: SegmentNumber, _ offset: Int) -> UInt32 {
        let mixed = StableHash.mix(
            tier ^ StableHash.mix(segment.rawValue << 32 | UInt64(truncatingIfNeeded: offset)))
        return UInt32(truncatingIfNeeded: mixed)
    }
}
