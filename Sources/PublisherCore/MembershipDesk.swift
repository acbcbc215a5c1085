import ByteCoding
import CacheModel
import CacheWire

/// How far a change of the members of a sharded cluster is: docs/decisions/0084.
///
///     changed ──▶ noting ──book──▶ due ──append──▶ appending ──▶ told ──every holder──▶ due
///                                   ▲                  │ refused                         │
///                                   └──────────────────┘       settled ◀──── append ─────┘
///     start, nothing known ──▶ greeting ──every node heard, or inherited leases over──▶ settled
///
/// Pure: it is told what happened, and says what is due.
struct MembershipDesk {
    enum Stage: Hashable {
        /// Every shard knows, or nothing has to be said in this kind of topology.
        case settled
        /// Members of an earlier publisher may be others, and no book tells.
        case greeting(appendsRecords: Bool)
        /// The book must say first that keys move.
        case noting
        /// A record is due; not before an instant after one that the log did not take.
        case due(isSettled: Bool, notBefore: Instant)
        case appending(isSettled: Bool)
        /// The record of members that are not settled is in the log there.
        case told(LogPosition)
    }

    private(set) var members: [Membership.Member]
    /// What names the members in the book.
    private(set) var digest: UInt64
    private(set) var isSharded: Bool
    private(set) var stage: Stage

    init(_ plan: PublisherPlan) {
        members = plan.members
        digest = Self.digest(members)
        isSharded = plan.kind == .sharded
        stage = plan.kind == .sharded ? .greeting(appendsRecords: true) : .settled
    }

    /// What the topology report says of its nodes; `nil` where that has no meaning.
    var areSettled: Bool? { isSharded ? stage == .settled : nil }

    private static func digest(_ members: [Membership.Member]) -> UInt64 {
        StableHash.hash(Membership(members, isSettled: true).encoded)
    }

    /// The configuration was loaded anew.
    ///
    /// - Returns: whether the cluster is of another kind now. What one kind has stored without a
    ///   record the other would take for its own: nothing of it may be shown.
    mutating func configured(_ plan: PublisherPlan) -> Bool {
        let isOfAnotherKind = isSharded != (plan.kind == .sharded)
        let isSame = plan.members == members && !isOfAnotherKind
        members = plan.members
        digest = Self.digest(members)
        isSharded = plan.kind == .sharded
        if !isSame { stage = isSharded ? .noting : .settled }
        return isOfAnotherKind
    }

    /// The publisher has the book of an earlier one, of this log and epoch.
    ///
    /// - Parameter known: `nil` in the book of a release that did not check who owns what.
    mutating func resumed(_ known: LifeBook.Members?) {
        guard isSharded else { return }
        guard let known else { return stage = .greeting(appendsRecords: false) }
        stage = known == LifeBook.Members(digest: digest, areSettled: true) ? .settled : .noting
    }

    /// No lease of an earlier publisher can be in force any more.
    ///
    /// - Parameter hasRecords: whether nodes may go on in this log with what they had.
    mutating func greeted(hasRecords: Bool) {
        guard case .greeting(let appendsRecords) = stage else { return }
        stage = hasRecords && appendsRecords ? .noting : .settled
    }

    var isGreeting: Bool { if case .greeting = stage { true } else { false } }

    /// The book says that keys move.
    mutating func noted(now: Instant) {
        guard stage == .noting else { return }
        stage = .due(isSettled: false, notBefore: now)
    }

    /// Every shard that owned keys before knows that they have other owners, or has no lease.
    mutating func obeyed(now: Instant) {
        guard case .told = stage else { return }
        stage = .due(isSettled: true, notBefore: now)
    }

    /// The record to append now, if one is due.
    mutating func takeDue(now: Instant) -> Membership? {
        guard case .due(let isSettled, let notBefore) = stage, notBefore <= now else { return nil }
        stage = .appending(isSettled: isSettled)
        let whole = Membership(members, isSettled: isSettled)
        return whole.encoded.count <= Membership.encodedBytesMax
            ? whole : Membership(nil, isSettled: isSettled)
    }

    /// A record is in the log. One of members that have changed since changes nothing.
    mutating func appended(_ membership: Membership, at position: LogPosition) {
        guard stage == .appending(isSettled: membership.isSettled),
            membership.members.map({ $0 == members }) ?? true
        else { return }
        stage = membership.isSettled ? .settled : .told(position)
    }

    /// The log did not take a record.
    mutating func refused(retryAt: Instant) {
        guard case .appending(let isSettled) = stage else { return }
        stage = .due(isSettled: isSettled, notBefore: retryAt)
    }

    /// When a record is due; `nil` if none is.
    var nextDue: Instant? {
        if case .due(_, let notBefore) = stage { notBefore } else { nil }
    }
}
