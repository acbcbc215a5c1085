import CacheDisk

/// Carries out reads, by threads or a ring. Only the shard's thread calls.
protocol DiskReaders: AnyObject {
    /// Begins these, which are reads all of them.
    func add(_ commands: [DiskCommand])

    /// Reads that were carried out and not told of otherwise.
    func takeCompletions() -> [DiskCompletion]

    /// Returns once everything that was given has been done.
    func end()
}
