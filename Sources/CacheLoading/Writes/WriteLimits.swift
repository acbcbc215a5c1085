import CacheModel

/// Every bound of the writes that a node makes for its clients, side by side.
package enum WriteLimits {
    // MARK: What is kept

    /// Most writes at a time: under way, waiting and rejected.
    package static let writesMax = 100_000
    /// Most bytes of them, in memory; on disk it may be twice as much, and `journalSlackBytes`.
    package static let bytesMax = 64 << 20
    /// What one write costs beside its key and value.
    static let overheadBytes = 256
    /// Most bytes of an origin's words that are kept with a rejected write.
    package static let wordsBytesMax = 256
    /// So many dead bytes in the journal are not worth writing it anew.
    static let journalSlackBytes = 1 << 20
    /// A record longer than this is none.
    static let recordBytesMax = 64 << 20

    // MARK: Pace

    /// Most keys of one namespace that are replayed at a time.
    package static let replaysMax = 8
    /// The first rest after a failure, each further one twice as long …
    static let restBase = Duration.seconds(1)
    /// … and none longer than this, but for what the origin asks for …
    static let restMax = Duration.seconds(30)
    /// … which is believed up to this.
    static let restAskedMax = Duration.seconds(300)
    /// By how much a rest may be longer or shorter, so that nodes do not come back together.
    static let restJitter = Percent(20) ?? .none
    /// Between two tries to write a journal anew that takes nothing: the first, and each further
    /// one twice as long …
    static let journalRestBase = Duration.seconds(1)
    /// … up to this.
    static let journalRestMax = Duration.seconds(10)
    /// Between two tries to have the publisher tell of writes that the origin has.
    static let announceRest = Duration.seconds(1)
    /// Most of them that are tried together.
    static let announcesMax = 256

    /// The relations that must hold. Called by `WriteLimitsTests`.
    package static func check() {
        precondition(restBase <= restMax && restMax <= restAskedMax, "rests grow")
        precondition(bytesMax <= recordBytesMax, "whatever is taken can be written down")
        precondition(wordsBytesMax <= Int(UInt16.max), "their length is two bytes in a record")
    }
}
