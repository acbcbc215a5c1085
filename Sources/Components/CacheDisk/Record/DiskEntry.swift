import CacheModel

/// An entry on disk, with everything to be restored.
///
/// Borrowed: every buffer points into the request, the memory tier or the bytes read, and is valid
/// for the duration of the call.
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
    /// The encoded `Representation`; empty for none.
    package var representation = UnsafeRawBufferPointer(start: nil, count: 0)
    /// At most 64, of 1 to 255 bytes.
    package var tags: [UnsafeRawBufferPointer] = []
    /// When it expires; `nil` for never.
    package var expires: TierTime?
    package var stored = TierTime(milliseconds: 0)
    /// Since when it is soft-invalidated; `nil` if it is not.
    package var softSince: TierTime?
    /// Sequence number of the position at or after which its value was read.
    package var fill: UInt64 = 0
    package var isUnfenced = false

    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.key = key
        self.value = value
    }

    /// Whether lengths and counts fit a record.
    package var isInRange: Bool {
        (1...DiskLimits.keyBytesMax).contains(key.count) && value.count <= DiskLimits.valueBytesMax
            && namespace.count <= 255 && validator.count <= 255
            && tags.count <= DiskLimits.tagsMax && fill < 1 << 48
            && tags.allSatisfy { (1...255).contains($0.count) }
            && (representation.isEmpty || Representation.isStored(representation))
    }

    func isOver(at now: TierTime) -> Bool { expires.map { $0 <= now } ?? false }

    package var payloadBytes: Int { key.count + value.count }

    /// Bytes of its record, with padding.
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
