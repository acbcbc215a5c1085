import ByteCoding
import CacheAccess
import CacheModel
import DequeModule
import HeapModule

/// Questions that wait for something which their askers may see.
///
///     FOLLOW ─add─▶ due ─ the log is read ─▶ answered
///                    ▲          │ nothing to show
///                    │          ▼
///                    └─wake── resting, with all of one key ─ deadline ─▶ answered
///
/// Those of one key see the same, so they rest together: a new record is judged once for them.
/// Each question counts, because an asker may have several readers over one connection.
struct FollowBook {
    /// Whose question it is.
    struct Place: Hashable {
        let peer: PeerID
        let requestID: UInt64
    }

    /// Those who see the same: who holds one key, or everybody where nobody is asked who they are.
    struct Holder: Hashable {
        let key: PublicKey?
    }

    struct Waiter {
        /// Up to here all was shown, or is not to be seen.
        var after: LogMark
        let limit: Int
        let deadline: Instant
        let holder: Holder
        /// Whose key it is in numbers; unknown where nobody is asked who they are.
        var principal = PrincipalNumber.unknown
        /// Who that is, for the audit log; `nil` where there is none.
        var party: AuditParty?
        fileprivate(set) var isDue = true
    }

    struct Group {
        fileprivate(set) var view: FollowView
        /// Up to here nothing was found for those that rest.
        fileprivate(set) var judged: LogMark
        fileprivate var resting: Set<Place> = []
        fileprivate var count = 0
    }

    /// A question whose time is up.
    struct Overdue {
        let place: Place
        let waiter: Waiter
        let view: FollowView
        /// Up to here there is nothing for it.
        let after: LogMark
    }

    private struct End: Comparable {
        let deadline: Instant
        let place: Place

        static func < (left: Self, right: Self) -> Bool { left.deadline < right.deadline }
    }

    private var waiters: [Place: Waiter] = [:]
    private var groups: [Holder: Group] = [:]
    private var due: Deque<Place> = []
    /// Those that stand in it: once each, also if their question was asked again or is answered.
    private var inLine: Set<Place> = []
    /// One for each question, and some of questions that are answered.
    private var ends: Heap<End> = []
    /// Those that are to be judged up to a head, and up to which they all were, or are in here.
    private var unjudged: Deque<Holder> = []
    private var head = LogMark.none
    private var revoked: [(place: Place, waiter: Waiter)] = []

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty && revoked.isEmpty }

    /// Whether something is left to be done at once, where the log ends at `head`.
    func isBehind(_ head: LogMark) -> Bool {
        !due.isEmpty || !unjudged.isEmpty || !revoked.isEmpty || !isEmpty && self.head != head
    }

    /// When the next question may have to be answered without anything to show.
    var nextEnd: Instant? { ends.min?.deadline }

    subscript(place: Place) -> Waiter? { waiters[place] }

    func group(of holder: Holder) -> Group? { groups[holder] }

    // MARK: Coming and going

    /// - Returns: `false` if there is no room.
    /// - Complexity: O(log count).
    mutating func add(_ place: Place, _ waiter: Waiter, seeing view: FollowView) -> Bool {
        remove(place)
        let ofKey = groups[waiter.holder]?.count ?? 0
        guard waiters.count < PublisherLimits.followsWaitingMax,
            waiter.holder.key == nil || ofKey < PublisherLimits.followsPerKeyMax
        else { return false }
        waiters[place] = waiter
        groups[waiter.holder, default: Group(view: view, judged: waiter.after)].count += 1
        groups[waiter.holder]?.view = view
        queueUp(place)
        if ends.count > 2 * waiters.count + 64 {
            ends = Heap(waiters.map { End(deadline: $1.deadline, place: $0) })
        } else {
            ends.insert(End(deadline: waiter.deadline, place: place))
        }
        return true
    }

    /// It is answered.
    mutating func remove(_ place: Place) {
        guard let waiter = waiters.removeValue(forKey: place) else { return }
        groups[waiter.holder]?.resting.remove(place)
        groups[waiter.holder]?.count -= 1
        if groups[waiter.holder]?.count == 0 { groups[waiter.holder] = nil }
    }

    /// Takes out who has waited longest for the log to be read.
    mutating func nextDue() -> Place? {
        while let place = due.popFirst() {
            inLine.remove(place)
            if waiters[place]?.isDue == true { return place }
        }
        return nil
    }

    private mutating func queueUp(_ place: Place) {
        if inLine.insert(place).inserted { due.append(place) }
    }

    /// The log was read for it up to `mark`, and it goes to the end of the line.
    mutating func delay(_ place: Place, after mark: LogMark) {
        waiters[place]?.after = mark
        queueUp(place)
    }

    /// There is nothing for it up to the log's head.
    mutating func rest(_ place: Place, at head: LogMark) {
        guard let holder = waiters[place]?.holder else { return }
        waiters[place]?.after = head
        waiters[place]?.isDue = false
        if groups[holder]?.resting.isEmpty == true { groups[holder]?.judged = head }
        groups[holder]?.resting.insert(place)
    }

    /// Takes out those that rest and whose time is up.
    mutating func takeOverdue(at now: Instant) -> [Overdue] {
        var overdue: [Overdue] = []
        while let first = ends.min, first.deadline <= now {
            _ = ends.popMin()
            // Who stands in line is answered when the log was read for it.
            guard let waiter = waiters[first.place], waiter.deadline == first.deadline,
                !waiter.isDue, let view = groups[waiter.holder]?.view
            else { continue }
            overdue.append(
                Overdue(place: first.place, waiter: waiter, view: view, after: after(waiter)))
            remove(first.place)
        }
        return overdue
    }

    private func after(_ waiter: Waiter) -> LogMark {
        guard let judged = groups[waiter.holder]?.judged, judged.position > waiter.after.position
        else { return waiter.after }
        return judged
    }

    // MARK: Judging

    /// Takes out a group that has not been judged up to the log's head.
    mutating func nextUnjudged(upTo head: LogMark) -> Holder? {
        if unjudged.isEmpty, self.head != head {
            self.head = head
            unjudged = Deque(groups.keys)
        }
        while let holder = unjudged.popFirst() {
            if let group = groups[holder], !group.resting.isEmpty, group.judged != head {
                return holder
            }
        }
        return nil
    }

    /// There is nothing for those that rest up to `mark`.
    mutating func judge(_ holder: Holder, upTo mark: LogMark, of head: LogMark) {
        groups[holder]?.judged = mark
        if mark != head { unjudged.append(holder) }
    }

    /// There is something for those that rest, right after `mark`; or the log is another.
    mutating func wake(_ holder: Holder, after mark: LogMark) {
        groups[holder]?.judged = mark
        for place in groups[holder]?.resting ?? [] {
            guard var waiter = waiters[place] else { continue }
            waiter.after = after(waiter)
            waiter.isDue = true
            waiters[place] = waiter
            queueUp(place)
        }
        groups[holder]?.resting = []
    }

    // MARK: Rights

    /// Whose entries are to be looked up.
    var keys: Set<PublicKey> { Set(groups.keys.compactMap(\.key)) }

    /// Other entries hold from now on. Who may not follow any more is answered next.
    mutating func change(to entries: [PublicKey: AccessEntry]) {
        var lost: Set<Holder> = []
        for holder in groups.keys {
            if let entry = holder.key.flatMap({ entries[$0] }), entry.mayWatch {
                groups[holder]?.view = FollowView(entry)
            } else {
                lost.insert(holder)
            }
        }
        guard !lost.isEmpty else { return }
        for (place, waiter) in waiters where lost.contains(waiter.holder) {
            revoked.append((place, waiter))
            remove(place)
        }
    }

    mutating func takeRevoked() -> [(place: Place, waiter: Waiter)] {
        defer { revoked = [] }
        return revoked
    }
}
