/// The location of a tag's floors: a record of its own, or one of the shared floors.
public struct TagID: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A tag with a record of its own.
    @inlinable
    package init(own index: Int) {
        rawValue = UInt32(index)
    }

    /// One of the floors shared by hash.
    @inlinable
    package init(shared index: Int) {
        rawValue = UInt32(index) | 1 << 31
    }

    @inlinable package var isShared: Bool { rawValue >> 31 == 1 }
    @inlinable package var index: Int { Int(rawValue & (1 << 31 - 1)) }
}
