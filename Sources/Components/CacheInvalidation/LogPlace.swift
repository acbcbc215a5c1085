import CacheModel

/// How far which log has been followed.
struct LogPlace: Equatable, Sendable {
    var applied: LogMark
    /// ``LogID/none`` after a record of a new epoch, until a head of it arrives.
    var log: LogID
    var recent: RecentDigests
    /// The head that was last reported behind ``applied``. Once may be a message that another
    /// channel overtook; the same one twice is a publisher that lost its tail.
    var headBehind: LogPosition?

    init(at mark: LogMark, of log: LogID) {
        applied = mark
        self.log = log
        recent = RecentDigests(from: mark)
        headBehind = nil
    }
}

/// What is known to exist and has not been applied.
struct Missing: Equatable, Sendable {
    /// The furthest position heard of.
    var target: LogPosition
    var held: HeldRecords
}
