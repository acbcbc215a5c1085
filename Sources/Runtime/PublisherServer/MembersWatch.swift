import CacheModel
import PublisherCore

/// Says that keys wait for nodes once that takes long, and when it is over.
struct MembersWatch {
    enum Notice: Hashable {
        case waits(MembersHold)
        case isOver
    }

    private var since: Instant?
    private var isSaid = false

    /// - Parameter hold: of now; `nil` where all keys are answered for.
    /// - Returns: what is to be said, once each.
    mutating func look(at hold: MembersHold?, now: Instant) -> Notice? {
        guard let hold else {
            defer { (since, isSaid) = (nil, false) }
            return isSaid ? .isOver : nil
        }
        let start = since ?? now
        since = start
        guard !isSaid, now.elapsed(since: start) >= PublisherServerLimits.membersPatience
        else { return nil }
        isSaid = true
        return .waits(hold)
    }
}
