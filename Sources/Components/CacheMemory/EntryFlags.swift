/// Boolean properties of an entry, in seven bits.
public struct EntryFlags: OptionSet, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A soft floor is above it.
    @inlinable package static var soft: EntryFlags { EntryFlags(rawValue: 1) }
    /// Stored without a token: marked in every answer.
    @inlinable package static var unfenced: EntryFlags { EntryFlags(rawValue: 2) }
    /// Not of namespace zero: two bytes have its number.
    @inlinable package static var namespaced: EntryFlags { EntryFlags(rawValue: 4) }
    /// Eight bytes of version.
    @inlinable package static var versioned: EntryFlags { EntryFlags(rawValue: 8) }
    /// A count in a byte, so many tags of four bytes, and the representation if the count marks it.
    @inlinable package static var tagged: EntryFlags { EntryFlags(rawValue: 16) }
    /// A length in a byte, and so many bytes: an ETag, the terms of a load, or both.
    @inlinable package static var validated: EntryFlags { EntryFlags(rawValue: 32) }
    /// Quarantined once: hidden until the origin confirms it.
    @inlinable package static var withheld: EntryFlags { EntryFlags(rawValue: 64) }
    /// Flags of the sections between key and value.
    @inlinable package static var sections: EntryFlags {
        let sized = namespaced.rawValue | versioned.rawValue
        return EntryFlags(rawValue: sized | tagged.rawValue | validated.rawValue)
    }

    // Explicit because the generic versions cost a debug build several calls each.

    @inlinable
    public func contains(_ other: EntryFlags) -> Bool {
        rawValue & other.rawValue == other.rawValue
    }

    @inlinable
    public func isDisjoint(with other: EntryFlags) -> Bool { rawValue & other.rawValue == 0 }
}
