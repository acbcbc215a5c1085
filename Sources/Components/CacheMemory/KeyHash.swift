/// The seeded hash of (namespace, key), by which an entry is found inside one process.
///
/// Its top bits choose the bucket, its lowest sixteen are the tag in the bucket's slot. Computed
/// once for each key of a turn and handed on. Never stored outside of the process, never sent.
public struct KeyHash: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }
}
