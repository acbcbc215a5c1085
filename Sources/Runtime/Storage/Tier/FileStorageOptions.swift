/// How a tier's file is read.
package struct FileStorageOptions: Sendable {
    /// How reads are carried out.
    package enum Engine: Equatable, Sendable {
        /// So many threads, each of which makes one read after the other: as many reads are under
        /// way at once. One of ``CacheFilesLimits/readers``.
        case threads(Int)
        /// A ring of the kernel's (io_uring) and no thread, where the system has that; the usual
        /// threads where it has not or forbids it.
        case ring
    }

    package var engine = Engine.threads(CacheFilesLimits.readersUsual)
    /// Makes calls fail, for tests.
    package var faults = DiskFaults.none

    /// Tells the free space in place of the file system, for tests.
    package var freeBytes: (@Sendable () -> Int)?

    package init() {}
}
