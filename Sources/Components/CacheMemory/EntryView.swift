import ByteCoding
public import CacheModel

/// A visible entry, read in place.
///
/// Valid until the next mutation of the tier it came from: every buffer it returns points into
/// the tier's memory. Nothing is copied and nothing is counted.
public struct EntryView {
    @usableFromInline package let entry: Entry
    @usableFromInline package let tagNames: UnsafePointer<UnsafeRawBufferPointer>

    @inlinable
    package init(_ entry: Entry, tagNames: UnsafePointer<UnsafeRawBufferPointer>) {
        self.entry = entry
        self.tagNames = tagNames
    }

    @inlinable package var key: UnsafeRawBufferPointer { entry.key }
    @inlinable package var value: UnsafeRawBufferPointer { entry.value }
    /// The ETag; empty if it was stored without one.
    @inlinable package var validator: UnsafeRawBufferPointer { entry.validator }
    /// The same with the terms of its load in front of it, as it is stored.
    @inlinable package var validation: UnsafeRawBufferPointer { entry.validation }
    /// What its bytes are, as it is stored; empty if nothing is said of it.
    package var representation: UnsafeRawBufferPointer { entry.representation }
    @inlinable package var namespace: NamespaceNumber { entry.namespace }
    /// ``Version/none`` if it was stored without one.
    @inlinable package var version: Version { entry.version }
    /// The position its value is known to have been read at or after.
    @inlinable package var fill: FillStamp { entry.fill }

    /// How long ago it was stored, to seventeen milliseconds and up to ``Entry/ageTicksMax``.
    @inlinable
    package func age(at now: Instant) -> Duration { Self.age(of: entry.storedTick, at: now) }

    /// The same in whole milliseconds: every answer tells them, and a `Duration` divides 128 bits.
    @inlinable
    package func ageMilliseconds(at now: Instant) -> UInt64 {
        UInt64(Entry.ticks(since: entry.storedTick, at: now)) << Entry.storedTickShift
            / 1_000_000
    }

    /// First moment at which it is no longer served; `nil` if it never expires. Before what was
    /// asked for by less than a step of ``EntryEnd``.
    @inlinable package var expiresAt: Instant? {
        let end = entry.end
        return end == .never ? nil : Instant(nanoseconds: end.nanoseconds)
    }

    /// Stored without a token, which every answer must say.
    @inlinable package var isUnfenced: Bool { entry.flags.contains(.unfenced) }
    /// A soft invalidation covers it: stale, to be served only under a stale window.
    @inlinable package var isSoft: Bool { entry.flags.contains(.soft) }

    /// How long ago the soft invalidation was applied that made it stale – the first one it met;
    /// `nil` if it is not soft. A stale window counts from there.
    @inlinable
    package func softAge(at now: Instant) -> Duration? {
        isSoft ? Self.age(of: entry.softTick, at: now) : nil
    }

    @inlinable
    package static func age(of tick: UInt32, at now: Instant) -> Duration {
        let ticks = Entry.ticks(since: tick, at: now)
        return .nanoseconds(Int64(ticks) << Int64(Entry.storedTickShift))
    }

    /// Tags it is covered by. Where its namespace had no room for a further tag, that has no name
    /// of its own: it is counted, and ``forEachTag(_:)`` leaves it out.
    @inlinable package var tagCount: Int { entry.tagCount }

    /// Whether each of its tags has a name: else another node could not obey all that covers it.
    package var areTagsNamed: Bool {
        (0..<tagCount).allSatisfy { !entry.tagID($0).isShared }
    }

    /// Calls `body` with the bytes of each named tag, in the order they were given.
    @inlinable
    package func forEachTag(_ body: (UnsafeRawBufferPointer) -> Void) {
        for index in 0..<tagCount {
            let id = entry.tagID(index)
            if !id.isShared { body(tagNames[id.index]) }
        }
    }
}

extension MemoryTier {
    /// Another number for every value of a key, also between runs, so that a value read in parts
    /// is known to be one value.
    ///
    /// - Complexity: O(key), and O(value) below a kibibyte.
    package func identity(of view: EntryView) -> UInt64 {
        view.entry.identity(hasher.hasher)
    }

    /// What the entry is charged, in bytes: slot or pages, and its share of the index.
    package func costBytes(of view: EntryView) -> Int {
        weights.memory(block: view.entry.blockBytes)
    }
}
