import CacheDisk

/// Who carries out reads: threads, or a ring. Only the shard's thread calls.
protocol DiskReaders: Sendable {
    /// Begins these, which are reads all of them.
    func add(_ commands: [DiskCommand])

    /// Returns once everything that was given has been done.
    func end()
}
