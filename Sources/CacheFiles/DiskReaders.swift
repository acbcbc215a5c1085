import CacheDisk

/// Who carries out reads: threads, or a ring. Only the shard's thread calls.
protocol DiskReaders: AnyObject {
    /// Begins these, which are reads all of them.
    func add(_ commands: [DiskCommand])

    /// What was done and nobody was told of otherwise.
    func takeCompletions() -> [DiskCompletion]

    /// Returns once everything that was given has been done.
    func end()
}
