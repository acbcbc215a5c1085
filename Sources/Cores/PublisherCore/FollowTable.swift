import CacheWire
import ByteCoding
import CacheAccess
import CacheModel
import DequeModule
import HeapModule

/// FOLLOW requests that wait for records which their clients may see.
///
///     FOLLOW ─add─▶ due ─ the log is read ─▶ answered
///                    ▲          │ no visible record
///                    │          ▼
///                    └─wake── resting, with all of one key ─ deadline ─▶ answered
///
/// Requests of one key see the same records, so they rest together: a new record is checked once
/// for all of them. Each request counts, because a client may have several readers over one
/// connection.
struct FollowTable {
    /// Identifies a request: its connection and its request id.
    struct Place: Hashable {
        let peer: PeerID
        let requestID: UInt64
    }

    /// Identifies the requests that see the same records: those of one key, or all requests if
    /// access control is off.
    struct Holder: Hashable {
        let key: PublicKey?
    }

    struct Waiter {
        /// Everything visible up to here was sent.
        var after: LogMark
        let limit: Int
        let deadline: Instant
        let holder: Holder
        /// The principal of the client; unknown if access control is off.
        var principal = PrincipalNumber.unknown
        /// The client, for the audit log; `nil` if there is none.
        var party: AuditParty?
        fileprivate(set) var isDue = true
    }

    struct Group {
        fileprivate(set) var view: FollowView
        /// Up to here no record was found for the resting requests.
        fileprivate(set) var judged: LogMark
        fileprivate var resting: Set<Place> = []
        fileprivate var count = 0
    }

    /// A request past its deadline.
    struct Overdue {
        let place: Place
        let waiter: Waiter
        let view: FollowView
        /// Up to here no record is visible to it.
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
    /// The requests in ``due``: each once, also if it was repeated or answered.
    private var inLine: Set<Place> = []
    /// One end for each request, and some of answered requests.
    private var ends: Heap<End> = []
    /// Groups to check up to ``head``; all other groups are checked up to it.
    private var unjudged: Deque<Holder> = []
    private var head = LogMark.none
    private var revoked: [(place: Place, waiter: Waiter)] = []

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty && revoked.isEmpty }

    /// Whether requests can be handled at once, if the log ends at `head`.
    func isBehind(_ head: LogMark) -> Bool {
        !due.isEmpty || !unjudged.isEmpty || !revoked.isEmpty || !isEmpty && self.head != head
    }

    /// When the next request may have to be answered without records.
    var nextEnd: Instant? { ends.min?.deadline }

    subscript(place: Place) -> Waiter? { waiters[place] }

    func group(of holder: Holder) -> Group? { groups[holder] }

    // MARK: Adding and removing

    /// - Returns: `false` if the table is full.
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

    /// Removes an answered request.
    mutating func remove(_ place: Place) {
        guard let waiter = waiters.removeValue(forKey: place) else { return }
        groups[waiter.holder]?.resting.remove(place)
        groups[waiter.holder]?.count -= 1
        if groups[waiter.holder]?.count == 0 { groups[waiter.holder] = nil }
    }

    /// Removes the request that has waited longest for a read of the log.
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

    /// The log was read for it up to `mark`; it moves to the end of the queue.
    mutating func delay(_ place: Place, after mark: LogMark) {
        waiters[place]?.after = mark
        queueUp(place)
    }

    /// No record is visible to it up to the log's head.
    mutating func rest(_ place: Place, at head: LogMark) {
        guard let holder = waiters[place]?.holder else { return }
        waiters[place]?.after = head
        waiters[place]?.isDue = false
        if groups[holder]?.resting.isEmpty == true { groups[holder]?.judged = head }
        groups[holder]?.resting.insert(place)
    }

    /// Removes the resting requests past their deadline.
    mutating func takeOverdue(at now: Instant) -> [Overdue] {
        var overdue: [Overdue] = []
        while let first = ends.min, first.deadline <= now {
            _ = ends.popMin()
            // A queued request is answered after the log was read for it.
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

    // MARK: Checking records

    /// Removes and returns a group that has not been checked up to the log's head.
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

    /// No record is visible to the resting requests up to `mark`.
    mutating func judge(_ holder: Holder, upTo mark: LogMark, of head: LogMark) {
        groups[holder]?.judged = mark
        if mark != head { unjudged.append(holder) }
    }

    /// A record is visible to the resting requests, right after `mark`; or the log has changed.
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

    /// The keys of the waiting requests, to look up their entries.
    var keys: Set<PublicKey> { Set(groups.keys.compactMap(\.key)) }

    /// Applies a new access table. A request that lost its right to follow is answered next.
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

    /// Another publisher will lead: forgets all requests.
    mutating func handOver() -> [Requester] {
        defer { self = FollowTable() }
        return waiters.map { Requester($0, $1) } + revoked.map { Requester($0.place, $0.waiter) }
    }

    mutating func takeRevoked() -> [(place: Place, waiter: Waiter)] {
        defer { revoked = [] }
        return revoked
    }
}
