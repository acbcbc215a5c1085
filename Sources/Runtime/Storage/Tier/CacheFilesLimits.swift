import CPlatform

/// Every bound of a tier's file.
package enum CacheFilesLimits {
    /// Threads that read one tier's file.
    package static let readers = 1...32
    /// If nothing else is said: as many reads a common disk still does side by side.
    package static let readersUsual = 4
    /// Tails that one process may have mapped: one for each shard.
    package static let tailsMax = Int(MARTLET_MAPPINGS_MAX)
    /// Bytes of the file, from its beginning on, that are read when it is opened.
    package static let headBytes = 4_096
    /// Zeros that are written at one time.
    static let zerosAtOnceBytes = 1 << 20
    /// Of the threads that write and read: they make calls and little else.
    static let stackBytes = 512 << 10
    /// Work that was done is taken out of a queue once there is so much of it.
    static let doneWorkMax = 1_024

    /// Reads that a ring has under way at once; the others wait.
    static let ringReadsMax = 128
    /// Requests that fit into it: a power of two.
    static let ringEntries = 128

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(readers.contains(readersUsual), "what is usual is allowed")
        precondition(ringReadsMax <= ringEntries, "a ring has an entry for every read")
        precondition(ringEntries.nonzeroBitCount == 1, "the kernel's rings are powers of two")
        precondition(zerosAtOnceBytes % headBytes == 0, "zeros are written by pages")
    }
}
