package import CacheModel

/// An entry that wants in, borrowed from the request that carries it.
///
/// Every buffer need only live as long as the call it is handed to.
package struct StoreCandidate {
    package var hash: KeyHash
    package var namespace: NamespaceNumber
    /// 1 to 4 096 bytes.
    package var key: UnsafeRawBufferPointer
    package var value: UnsafeRawBufferPointer
    /// ``Version/none`` if none was given.
    package var version = Version.none
    /// The ETag, with the terms of a load in front of it if there are any: at most 255 bytes;
    /// empty for neither.
    package var validator = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What its bytes are, as ``Representation`` is stored; empty for none. Of a renewal, what is
    /// said of it anew.
    package var representation = UnsafeRawBufferPointer(start: nil, count: 0)
    /// At most 64 tags of 1 to 255 bytes; a doubled one counts once.
    package var tags = UnsafeBufferPointer<UnsafeRawBufferPointer>(start: nil, count: 0) {
        didSet { distinctTagCount = tags.count }
    }
    /// How many the entry will have, as far as is known.
    var distinctTagCount = 0
    /// First moment at which it must not be served; `nil` if it never expires.
    package var expiresAt: Instant?
    /// How old it is already.
    package var age = Duration.zero
    /// The position the value is known to have been read at or after: the token's, never above
    /// what the shard has applied; without a token what the shard has applied now.
    package var fill: FillStamp
    /// Came with a token: `fill` is checked against the token base and every floor that covers
    /// the entry.
    package var isFenced = false
    /// Is outside of the promise: every answer with it will say so.
    package var isUnfenced = false
    /// Its token was issued elsewhere: it may fill an absent key or replace an entry of a lesser
    /// fill stamp, nothing else.
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

    /// Bytes of the block it would take, each tag counted as far as is known.
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

    /// The flags its entry begins with.
    var flags: EntryFlags {
        var flags = EntryFlags()
        if isUnfenced { flags.insert(.unfenced) }
        if namespace != NamespaceNumber(0) { flags.insert(.namespaced) }
        if version > .none { flags.insert(.versioned) }
        if !tags.isEmpty || !representation.isEmpty { flags.insert(.tagged) }
        if !validator.isEmpty { flags.insert(.validated) }
        return flags
    }

    /// Whether lengths and counts are inside what an entry can express.
    var isInRange: Bool {
        (1...CacheKey.bytesMax).contains(key.count) && validator.count <= Validator.bytesMax
            && value.count <= Entry.valueBytesMax && tags.count <= Tag.perEntryMax
            && tags.allSatisfy { (1...Tag.bytesMax).contains($0.count) }
            && (representation.isEmpty || Representation.isStored(representation))
    }
}

/// What an admitted store did.
package struct StoreEffect: Equatable, Sendable {
    /// An entry of the same key made way for it.
    package var replaced: Bool
    /// What the entry is charged, in bytes.
    package var costBytes: Int
}
