import CacheModel
import DequeModule

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

/// The digests of the last applied records. They distinguish a repetition, or an old head, from
/// another log that uses the same numbers.
struct RecentDigests: Equatable, Sendable {
    private var newest: LogPosition
    private var digests: Deque<LogDigest>

    init(from mark: LogMark) {
        newest = mark.position
        digests = [mark.digest]
    }

    /// Remembers the mark that directly follows the newest one.
    mutating func remember(_ mark: LogMark) {
        precondition(mark.position.directlyFollows(newest), "digests are remembered in order")
        newest = mark.position
        digests.append(mark.digest)
        if digests.count > SubscriberLimits.rememberedMax { digests.removeFirst() }
    }

    /// The log's digest at `position`; `nil` where it is too old, or was never applied.
    func digest(at position: LogPosition) -> LogDigest? {
        guard position.epoch == newest.epoch, position <= newest else { return nil }
        let back = newest.sequence.rawValue - position.sequence.rawValue
        guard back < digests.count else { return nil }
        return digests[digests.count - 1 - Int(back)]
    }

    /// Whether `mark` says of a remembered position what was not applied there.
    func contradicts(_ mark: LogMark) -> Bool {
        guard let known = digest(at: mark.position) else { return false }
        return known != mark.digest
    }
}
