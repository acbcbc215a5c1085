package import CacheDisk
package import CacheModel

/// A tier's file that the shell has opened for a shard.
package struct OpenedDisk {
    /// Of this life.
    package var superblock: Superblock
    /// The mapped part of the file. It stays until the shard has
    /// told ``DiskNotice/failed(_:)``, ``DiskNotice/unusable(_:)`` or ``DiskNotice/closed``.
    package var tail: UnsafeMutableRawBufferPointer
    package var clock: TierClock
    /// The life that wrote what lies in it; `nil` if nothing does.
    package var writtenBy: Incarnation?
    /// Whether a file was there, and nothing of it could be kept.
    package var replacesOther = false
    /// The free space that is left on the file system; `nil` if the tier keeps all that it has.
    package var space: DiskSpaceRule?
    /// How many segments of a new file have room; `nil` for all.
    package var segmentCount: Int?

    package init(
        _ superblock: Superblock, tail: UnsafeMutableRawBufferPointer, clock: TierClock,
        writtenBy: Incarnation?
    ) {
        self.superblock = superblock
        self.tail = tail
        self.clock = clock
        self.writtenBy = writtenBy
    }

    var isNew: Bool { writtenBy == nil }
}
