public import CacheModel

/// A visible entry, read in place.
///
/// Valid until the next mutation of the tier it came from: every buffer it returns points into
/// the tier's memory. Nothing is copied and nothing is counted.
public struct EntryView {
    @usableFromInline package let head: UnsafePointer<EntryHead>
    @usableFromInline package let tagNames: UnsafePointer<UnsafeRawBufferPointer>

    @inlinable
    package init(
        head: UnsafePointer<EntryHead>, tagNames: UnsafePointer<UnsafeRawBufferPointer>
    ) {
        self.head = head
        self.tagNames = tagNames
    }

    @inlinable
    package func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(head) + offset, count: count)
    }

    @inlinable package var key: UnsafeRawBufferPointer {
        bytes(at: head.pointee.keyOffset, count: Int(head.pointee.keyBytes))
    }
    @inlinable package var value: UnsafeRawBufferPointer {
        bytes(at: head.pointee.valueOffset, count: Int(head.pointee.valueBytes))
    }
    /// The ETag; empty if it was stored without one.
    @inlinable package var validator: UnsafeRawBufferPointer {
        bytes(at: head.pointee.validatorOffset, count: Int(head.pointee.validatorBytes))
    }
    @inlinable package var hash: KeyHash { head.pointee.hash }
    @inlinable package var namespace: NamespaceNumber { head.pointee.namespace }

    /// ``Version/none`` if it was stored without one.
    @inlinable package var version: Version {
        guard head.pointee.flags.contains(.versioned) else { return .none }
        return Version(
            UnsafeRawPointer(head).load(fromByteOffset: EntryHead.bytes, as: UInt64.self))
    }

    /// The position its value is known to have been read at or after.
    @inlinable package var fill: FillStamp { head.pointee.fill }
    @inlinable package var storedAt: Instant { head.pointee.storedAt }
    /// First moment at which it is no longer served; `nil` if it never expires.
    @inlinable package var expiresAt: Instant? {
        let moment = head.pointee.expiresAt
        return moment == EntryHead.never ? nil : Instant(nanoseconds: moment)
    }
    /// Stored without a token, which every answer must say.
    @inlinable package var isUnfenced: Bool { head.pointee.flags.contains(.unfenced) }
    /// A soft invalidation covers it: stale, to be served only under a stale window.
    @inlinable package var isSoft: Bool { head.pointee.flags.contains(.soft) }
    /// When the soft invalidation was applied that made it stale – the first one it met; `nil` if
    /// it is not soft. A stale window counts from here.
    @inlinable package var softSince: Instant? { isSoft ? head.pointee.softSince : nil }

    /// Another for every store, so that a value read in parts is known to be one value. Differs
    /// between runs too, because the hash does.
    @inlinable package var identity: UInt64 {
        head.pointee.hash.rawValue & 0xFFFF_FFFF_0000_0000 | UInt64(head.pointee.identity)
    }

    /// Tags it is covered by. Beyond `tagsMax` distinct tags some have no name of their own any
    /// more: they are counted, and ``forEachTag(_:)`` leaves them out.
    @inlinable package var tagCount: Int { Int(head.pointee.tagCount) }

    /// Calls `body` with the bytes of each named tag, in the order they were given.
    @inlinable
    package func forEachTag(_ body: (UnsafeRawBufferPointer) -> Void) {
        let offset = head.pointee.tagIDsOffset
        for index in 0..<tagCount {
            let id = TagID(
                rawValue: UnsafeRawPointer(head)
                    .load(fromByteOffset: offset &+ 4 &* index, as: UInt32.self))
            if !id.isShared { body(tagNames[id.index]) }
        }
    }
}
