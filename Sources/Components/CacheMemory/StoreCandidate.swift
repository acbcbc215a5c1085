package import CacheModel

/// An entry to be stored, borrowed from its request.
///
/// Every buffer need only be valid for the duration of the call.
package struct StoreCandidate {
    package var hash: KeyHash
    package var namespace: NamespaceNumber
    /// 1 to 4 096 bytes.
    package var key: UnsafeRawBufferPointer
    package var value: UnsafeRawBufferPointer
    /// ``Version/none`` if none was given.
    package var version = Version.none
    /// The ETag, preceded by the terms of a load if there are any: at most 255 bytes; empty for
    /// neither.
    package var validator = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The encoded ``Representation``; empty for none. In a renewal, only the updated members.
    package var representation = UnsafeRawBufferPointer(start: nil, count: 0)
    /// At most 64 tags of 1 to 255 bytes; a duplicate counts once.
    package var tags = UnsafeBufferPointer<UnsafeRawBufferPointer>(start: nil, count: 0) {
        didSet { distinctTagCount = tags.count }
    }
    /// The number of tags that the entry will have, as far as known.
    var distinctTagCount = 0
    /// First moment at which it must not be served; `nil` if it never expires.
    package var expiresAt: Instant?
    /// Its age at the store.
    package var age = Duration.zero
    /// The position at or after which the value was read: the token's, never above the shard's
    /// applied position; without a token the shard's applied position now.
    package var fill: FillStamp
    /// Has a token: `fill` is checked against the token base and every floor that covers the entry.
    package var isFenced = false
    /// Outside of the consistency guarantee: every answer with it states this.
    package var isUnfenced = false
    /// Its token was issued elsewhere: it may only fill an absent key or replace an entry of a
    /// lesser fill stamp.
    package var replacesOnlyOlderFill = false

    package init(
        hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer, fill: FillStamp
    ) {
        self.hash = hash
        self.namespace = namespace
        self.key = key
        self.value = value
        self.fill = fill
    }

    /// Bytes of its block, with the tags as far as known.
    var blockBytes: Int {
        var bytes = Entry.headBytes + key.count + value.count
        let flags = flags
        if flags.contains(.namespaced) { bytes += 2 }
        if flags.contains(.versioned) { bytes += 8 }
        if flags.contains(.tagged) { bytes += 1 + 4 * distinctTagCount + representation.count }
        if flags.contains(.validated) { bytes += 1 + validator.count }
        if value.count >= Entry.identifiedBytesMin { bytes += 4 }
        return bytes
    }

    var flags: EntryFlags {
        var flags = EntryFlags()
        if isUnfenced { flags.insert(.unfenced) }
        if namespace != NamespaceNumber(0) { flags.insert(.namespaced) }
        if version > .none { flags.insert(.versioned) }
        if !tags.isEmpty || !representation.isEmpty { flags.insert(.tagged) }
        if !validator.isEmpty { flags.insert(.validated) }
        return flags
    }

    /// Whether lengths and counts fit an entry.
    var isInRange: Bool {
        (1...CacheKey.bytesMax).contains(key.count) && validator.count <= Validator.bytesMax
            && value.count <= Entry.valueBytesMax && tags.count <= Tag.perEntryMax
            && tags.allSatisfy { (1...Tag.bytesMax).contains($0.count) }
            && (representation.isEmpty || Representation.isStored(representation))
    }
}

/// The effect of an admitted store.
package struct StoreEffect: Equatable, Sendable {
    /// Whether an entry of the same key was replaced.
    package var replaced: Bool
    /// Bytes charged for the entry.
    package var costBytes: Int
}
