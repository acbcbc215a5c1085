import CacheModel

/// Bounds of the writes that a node makes for its clients.
package enum WriteLimits {
    // MARK: Sizes

    /// Maximum number of writes: under way, waiting and rejected.
    package static let writesMax = 100_000
    /// Maximum bytes of all writes in memory; on disk up to twice as much, plus
    /// `journalSlackBytes`.
    package static let bytesMax = 64 << 20
    /// Overhead of one write beside its key and value.
    static let overheadBytes = 256
    /// Maximum bytes of an origin's answer that are kept with a rejected write.
    package static let wordsBytesMax = 256
    /// With at most this many dead bytes the journal is not rewritten.
    static let journalSlackBytes = 1 << 20
    /// A longer record is invalid.
    static let recordBytesMax = 64 << 20

    // MARK: Pace

    /// Maximum number of keys of one namespace that are replayed concurrently.
    package static let replaysMax = 8
    /// The first back-off after a failure; it doubles with each further one …
    static let restBase = Duration.seconds(1)
    /// … up to this, unless the origin asks for more …
    static let restMax = Duration.seconds(30)
    /// … which is accepted up to this.
    static let restAskedMax = Duration.seconds(300)
    /// The first back-off after a node did not take a forwarded write; it doubles …
    static let forwardRestBase = Duration.milliseconds(100)
    /// … up to this.
    static let forwardRestMax = Duration.seconds(10)
    /// The number of keys with a known last write, and of known forwarded writes that ended.
    static let endedMax = 4_096
    /// The jitter of a back-off in both directions, so that nodes do not return together.
    static let restJitter = Percent(20) ?? .none
    /// Between two attempts to rewrite a failing journal: the first; it doubles with each further
    /// one …
    static let journalRestBase = Duration.seconds(1)
    /// … up to this.
    static let journalRestMax = Duration.seconds(10)
    /// Between two attempts to publish invalidations of writes that the origin has.
    static let announceRest = Duration.seconds(1)
    /// Maximum number of them that are tried together.
    static let announcesMax = 256

    /// The relations that must hold. Called by `WriteLimitsTests`.
    package static func check() {
        precondition(restBase <= restMax && restMax <= restAskedMax, "rests grow")
        precondition(bytesMax <= recordBytesMax, "whatever is taken can be written down")
        precondition(wordsBytesMax <= Int(UInt16.max), "their length is two bytes in a record")
    }
}
