import ByteCoding

/// What a checksum is bound to besides the bytes: whose they are and where they lie.
///
/// So bytes that an earlier round of the ring left behind, or that were moved, prove nothing.
package struct RecordSeal: Sendable {
    package let tier: UInt64

    package init(tier: UInt64) { self.tier = tier }

    /// The checksum of `bytes` that lie at `offset` of that segment.
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
