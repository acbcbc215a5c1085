/// A node's disk tier: where it lies, how large it is, and how it is read.
package struct DiskSettings: Hashable, Sendable {
    /// Holds a file for each shard and is this node's alone. A path that is not absolute begins
    /// where the node was started.
    package var directory: String
    /// Bytes of all shards' files together, reserved when they are made; each shard has the same
    /// part. Within ``ConfigurationLimits/diskBytesPerShard`` for each.
    package var bytes: Int
    package var reads: DiskReadMode
    /// What all shards together may write in a second of what memory evicts, within
    /// ``ConfigurationLimits/diskWriteBytesPerSecond``; `nil` for all of it.
    package var writeBytesPerSecond: Int?
    /// The free space that is left on the file system, within
    /// ``ConfigurationLimits/diskLeftFreeBytes``: while less is free, the files give room back.
    /// `nil`: they keep all of it.
    package var leftFreeBytes: Int?

    package init(
        directory: String, bytes: Int, reads: DiskReadMode = .ring,
        writeBytesPerSecond: Int? = nil, leftFreeBytes: Int? = nil
    ) {
        self.directory = directory
        self.bytes = bytes
        self.reads = reads
        self.writeBytesPerSecond = writeBytesPerSecond
        self.leftFreeBytes = leftFreeBytes
    }
}
