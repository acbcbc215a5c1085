public import CacheModel

/// What stands at the beginning of every entry's block: 64 bytes, then what varies.
///
///     0        64          72           …            …      …            …
///     ├─ head ─┼─ version ─┼─ tag IDs ──┼─ key ──────┼ ETag ┼─ value ────┤
///                0 or 8 B    4 B each
///
/// A lookup that finds its key touches the head, the key and one byte of frequency.
public struct EntryHead {
    /// Bytes of a head.
    @inlinable package static var bytes: Int { 64 }
    /// The `expiresAt` of an entry that never expires.
    @inlinable package static var never: UInt64 { .max }
    /// Where ``frequency`` stops counting.
    @inlinable package static var frequencyMax: UInt8 { 3 }

    @usableFromInline package var hash: KeyHash
    /// The position the value is known to have been read at or after.
    @usableFromInline package var fill: FillStamp
    /// First nanosecond at which it is no longer served; ``never``.
    @usableFromInline package var expiresAt: UInt64
    @usableFromInline package var storedAt: Instant
    /// When the soft floor rose that made it stale; means nothing unless `flags` has `soft`.
    @usableFromInline package var softSince = Instant(nanoseconds: 0)
    @usableFromInline package var valueBytes: UInt32
    /// The floors it was last found visible under.
    @usableFromInline package var checkedAt = FloorOrdinal.never
    /// Counts the stores of the tier, modulo 2^32.
    @usableFromInline package var identity: UInt32
    /// Its slot in the eviction policy's queue; belongs to the policy.
    @usableFromInline package var queueSlot: UInt32 = 0
    @usableFromInline package var keyBytes: UInt16
    @usableFromInline package var namespace: NamespaceNumber
    @usableFromInline package var tagCount: UInt8
    @usableFromInline package var validatorBytes: UInt8
    /// Hits since it was last considered for eviction, at most ``frequencyMax``.
    @usableFromInline package var frequency: UInt8 = 0
    @usableFromInline package var flags: EntryFlags

    @inlinable package var tagIDsOffset: Int {
        Self.bytes &+ (flags.contains(.versioned) ? 8 : 0)
    }
    @inlinable package var keyOffset: Int { tagIDsOffset &+ 4 &* Int(tagCount) }
    @inlinable package var validatorOffset: Int { keyOffset &+ Int(keyBytes) }
    @inlinable package var valueOffset: Int { validatorOffset &+ Int(validatorBytes) }
    @inlinable package var blockBytes: Int { valueOffset &+ Int(valueBytes) }
}

/// What is true or false of an entry.
public struct EntryFlags: OptionSet, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Stored without a token: marked in every answer.
    @inlinable package static var unfenced: EntryFlags { EntryFlags(rawValue: 1) }
    /// A soft floor lies above it.
    @inlinable package static var soft: EntryFlags { EntryFlags(rawValue: 2) }
    /// Eight bytes of version follow the head.
    @inlinable package static var versioned: EntryFlags { EntryFlags(rawValue: 4) }
    /// In the policy's second queue; belongs to the policy.
    @inlinable package static var proven: EntryFlags { EntryFlags(rawValue: 8) }
}
