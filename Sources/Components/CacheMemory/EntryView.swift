import ByteCoding
public import CacheModel

/// A visible entry, read in place.
///
/// Valid until the next mutation of its tier: every buffer points into the tier's memory. Nothing
/// is copied or counted.
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
    /// The same, preceded by the terms of its load, as stored.
    @inlinable package var validation: UnsafeRawBufferPointer { entry.validation }
    /// The encoded representation; empty if there is none.
    package var representation: UnsafeRawBufferPointer { entry.representation }
    @inlinable package var namespace: NamespaceNumber { entry.namespace }
    /// ``Version/none`` if it was stored without one.
    @inlinable package var version: Version { entry.version }
    /// The position at or after which its value was read.
    @inlinable package var fill: FillStamp { entry.fill }

    /// Time since the store, to seventeen milliseconds and up to ``Entry/ageTicksMax``.
    @inlinable
    package func age(at now: Instant) -> Duration { Self.age(of: entry.storedTick, at: now) }

    /// The same in whole milliseconds: every answer has it, and a `Duration` divides 128 bits.
    @inlinable
    package func ageMilliseconds(at now: Instant) -> UInt64 {
        UInt64(Entry.ticks(since: entry.storedTick, at: now)) << Entry.storedTickShift
            / 1_000_000
    }

    /// First moment at which it is no longer served; `nil` if it never expires. Earlier than
    /// requested by less than a step of ``EntryEnd``.
    @inlinable package var expiresAt: Instant? {
        let end = entry.end
        return end == .never ? nil : Instant(nanoseconds: end.nanoseconds)
    }

    /// Stored without a token, which every answer must state.
    @inlinable package var isUnfenced: Bool { entry.flags.contains(.unfenced) }
    /// Stale by a soft invalidation: to be served only under a stale window.
    @inlinable package var isSoft: Bool { entry.flags.contains(.soft) }

    /// Time since the first soft invalidation that made it stale was applied; `nil` if it is not
    /// soft. A stale window counts from there.
    @inlinable
    package func softAge(at now: Instant) -> Duration? {
        isSoft ? Self.age(of: entry.softTick, at: now) : nil
    }

    @inlinable
    package static func age(of tick: UInt32, at now: Instant) -> Duration {
        let ticks = Entry.ticks(since: tick, at: now)
        return .nanoseconds(Int64(ticks) << Int64(Entry.storedTickShift))
    }

    /// Tags that cover it. A tag beyond its namespace's share of records has no name of its own: it
    /// is counted, and ``forEachTag(_:)`` omits it.
    @inlinable package var tagCount: Int { entry.tagCount }

    /// Whether each of its tags has a name: else another node could not apply all its
    /// invalidations.
    package var areTagsNamed: Bool {
        (0..<tagCount).allSatisfy { !entry.tagID($0).isShared }
    }

    /// Calls `body` with the bytes of each named tag, in the given order.
    @inlinable
    package func forEachTag(_ body: (UnsafeRawBufferPointer) -> Void) {
        for index in 0..<tagCount {
            let id = entry.tagID(index)
            if !id.isShared { body(tagNames[id.index]) }
        }
    }
}

extension MemoryTier {
    /// Differs with every value of a key, also between runs, to detect that a value read in parts
    /// has changed.
    ///
    /// - Complexity: O(key), and O(value) below a kibibyte.
    package func identity(of view: EntryView) -> UInt64 {
        view.entry.identity(entries.hasher.hasher)
    }

    /// Bytes charged for the entry: slot or pages, and its share of the index.
    package func costBytes(of view: EntryView) -> Int {
        entries.weights.memory(block: view.entry.blockBytes)
    }
}
