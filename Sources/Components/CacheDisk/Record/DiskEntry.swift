import CacheModel

/// An entry as it lies on disk, or is to: everything that has to come back with it.
///
/// Borrowed: every buffer points into the request, the memory tier or the bytes that were read, and
/// lives as long as the call it is handed to.
package struct DiskEntry {
    /// The name of its namespace; empty for the default one.
    package var namespace = UnsafeRawBufferPointer(start: nil, count: 0)
    /// 1 to 4 096 bytes.
    package var key: UnsafeRawBufferPointer
    package var value: UnsafeRawBufferPointer
    /// 0: none.
    package var version: UInt64 = 0
    /// The ETag; empty for none.
    package var validator = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What its bytes are, as `Representation` is stored; empty for none.
    package var representation = UnsafeRawBufferPointer(start: nil, count: 0)
    /// At most 64, of 1 to 255 bytes.
    package var tags: [UnsafeRawBufferPointer] = []
    /// First moment at which it is over; `nil` if it never is.
    package var expires: TierTime?
    package var stored = TierTime(milliseconds: 0)
    /// Since when it is stale by a soft invalidation; `nil` if it is not.
    package var softSince: TierTime?
    /// Sequence number of the position its value is known to have been read at or after.
    package var fill: UInt64 = 0
    package var isUnfenced = false

    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.key = key
        self.value = value
    }

    /// Whether lengths and counts are inside what a record can express.
    package var isInRange: Bool {
        (1...DiskLimits.keyBytesMax).contains(key.count) && value.count <= DiskLimits.valueBytesMax
            && namespace.count <= 255 && validator.count <= 255
            && tags.count <= DiskLimits.tagsMax && fill < 1 << 48
            && tags.allSatisfy { (1...255).contains($0.count) }
            && (representation.isEmpty || Representation.isStored(representation))
    }

    package var payloadBytes: Int { key.count + value.count }

    /// Bytes of its record, with the zeros at its end.
    package var recordBytes: Int {
        var bytes = RecordHead.bytes + key.count + value.count
        if !namespace.isEmpty { bytes += 1 + namespace.count }
        if version != 0 { bytes += 8 }
        if !tags.isEmpty || !representation.isEmpty {
            bytes += tags.reduce(1) { $0 + 1 + $1.count } + representation.count
        }
        if !validator.isEmpty { bytes += 1 + validator.count }
        if softSince != nil { bytes += 6 }
        return (bytes + 7) & ~7
    }
}
