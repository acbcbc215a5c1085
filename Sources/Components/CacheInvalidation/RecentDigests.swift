import CacheModel
import DequeModule

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
