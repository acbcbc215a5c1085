import ByteCoding
import CacheModel
import CacheWire

/// How far a change of the members of a sharded cluster has progressed: docs/decisions/0084.
///
///     changed ──▶ noting ──table──▶ due ──append──▶ appending ──▶ told ──every holder──▶ due
///        ▲                          ▲                  │ refused                         │
///        │                          └──────────────────┘       settled ◀──── append ─────┘
///     greeting ──nodes may know others────────┐                   ▲
///        ▲  └───────no node knows any─────────┴───────────────────┘
///     start, nothing known
///
/// Pure: its owner reports events, and it returns the records that are due. *table* in the diagram
/// is the stored ``RunTable``.
struct MembershipChange {
    /// Which members of an earlier publisher may be in force if no stored table names them.
    enum Earlier: Hashable {
        /// Those of nodes that greet, or were not heard from: the log has no records.
        case greeted
        /// Those of any node: the log on disk has records.
        case recorded
        /// None: the publisher was of a release that did not check owners.
        case unchecked
    }

    /// Records that the log needs.
    enum Told: Hashable {
        /// Hide all stored entries: one kind of cluster stores, without a record, entries that the
        /// other kind would treat as its own.
        case everything
        case members(Membership)

        var scope: Scope {
            switch self {
            case .everything: Scope(.everything)
            case .members(let membership): Scope(membership)
            }
        }

        /// The request that appends it; no client waits for it.
        var request: InvalidateRequest {
            var request = InvalidateRequest(
                scopes: [scope], wait: .all, timeoutMilliseconds: 0, operation: .none)
            request.issuer = .publisher
            return request
        }
    }

    enum Stage: Hashable {
        /// Every shard knows the members, or this kind of topology records none.
        case settled
        /// Members of an earlier publisher may be others, and no stored table names them.
        case greeting(Earlier)
        /// The table must be stored first, with the entry that keys move.
        case noting
        /// A record is due; not before an instant after the log refused one.
        case due(isSettled: Bool, notBefore: Instant)
        case appending(isSettled: Bool)
        /// The record of members that are not settled is in the log at this position.
        case told(LogPosition)
    }

    private(set) var members: [Membership.Member]
    /// The hash of the members in the stored table.
    private(set) var digest: UInt64
    private(set) var isSharded: Bool
    private(set) var stage: Stage
    /// Whether the log must still hide everything, because the cluster has, or may have, another
    /// kind than before.
    private(set) var hidesEverything: Bool
    /// Whether a run that may have members in force has greeted, or may yet.
    private var mayNodesKnowOthers = false
    /// Whether a stored table, together with its leases, settled the members.
    private var isBookBelieved = false

    /// The hash of a replicated cluster in the stored table.
    private static let replicated: UInt64 = 0

    /// - Parameter hasRecords: whether the log has records of an earlier publisher.
    init(_ plan: PublisherPlan, hasRecords: Bool) {
        members = plan.members
        digest = Self.digest(plan)
        isSharded = plan.kind == .sharded
        hidesEverything = hasRecords
        stage =
            isSharded
            ? .greeting(hasRecords ? .recorded : .greeted) : hasRecords ? .noting : .settled
    }

    /// The entry of the stored table while the members are not settled.
    var moving: RunTable.Members {
        RunTable.Members(digest: digest, areSettled: false, hidesEverything: hidesEverything)
    }

    /// Whether entries must not be called fresh, nor the topology be sent, before the log hides
    /// everything. While members are not settled no shard of a sharded cluster answers.
    var mustHideFirst: Bool { hidesEverything && !isSharded }

    /// Whether the topology report calls its nodes settled; `nil` if the cluster is not sharded.
    var areSettled: Bool? { isSharded ? stage == .settled : nil }

    private static func digest(_ plan: PublisherPlan) -> UInt64 {
        guard plan.kind == .sharded else { return replicated }
        return StableHash.hash(Membership(plan.members, isSettled: true).encoded)
    }

    /// The configuration was loaded anew.
    mutating func configured(_ plan: PublisherPlan) {
        let isOfAnotherKind = isSharded != (plan.kind == .sharded)
        let isSame = plan.members == members && !isOfAnotherKind
        members = plan.members
        digest = Self.digest(plan)
        isSharded = plan.kind == .sharded
        if isOfAnotherKind {
            hidesEverything = true
            stage = .noting
        } else if !isSame, case .greeting(let earlier) = stage {
            mayNodesKnowOthers = true
            // There are two lists of members now, so the log must state the new one.
            if earlier == .unchecked { stage = .greeting(.recorded) }
        } else if !isSame, isSharded {
            stage = .noting
        }
    }

    /// The publisher has read an earlier publisher's table, of this log and epoch.
    ///
    /// - Parameter known: `nil` in the table of a release that did not check the owners of keys.
    mutating func resumed(_ known: RunTable.Members?) {
        guard let known else {
            hidesEverything = false
            return stage = isSharded ? .greeting(.unchecked) : .settled
        }
        isBookBelieved = true
        let areSettled = known == RunTable.Members(digest: digest, areSettled: true)
        stage = areSettled ? .settled : .noting
        let isOfAnotherKind = (known.digest == Self.replicated) == isSharded
        hidesEverything =
            !areSettled && (known.hidesEverything || isOfAnotherKind || !isSharded)
    }

    /// Slots give the keys to their owners from now on.
    mutating func superseded() { (stage, hidesEverything) = (.settled, false) }

    /// A run that may have members in force has greeted.
    mutating func heardOfOthers() { mayNodesKnowOthers = true }

    /// No run that has not greeted can have a lease of an earlier publisher any more.
    ///
    /// - Parameter areAllHeard: whether every node has greeted.
    mutating func greeted(areAllHeard: Bool) {
        guard case .greeting(let earlier) = stage else { return }
        let mayOthersBeInForce =
            switch earlier {
            case .greeted: mayNodesKnowOthers || !areAllHeard
            case .recorded: true
            case .unchecked: false
            }
        stage = mayOthersBeInForce ? .noting : .settled
    }

    /// The log begins a new epoch: it may have been set back, and its stored table with it. A node
    /// that has not greeted may have other members in force, as at a start without a table.
    mutating func begunAnew() {
        guard isBookBelieved, isSharded else { return }
        isBookBelieved = false
        switch stage {
        case .settled, .due(isSettled: true, _), .appending(isSettled: true):
            stage = .greeting(.greeted)
        default: break
        }
    }

    /// The stored table states that keys move.
    mutating func noted(now: Instant) {
        guard stage == .noting else { return }
        stage = .due(isSettled: false, notBefore: now)
    }

    /// Every shard that owned keys before knows the new owners, or has no lease.
    mutating func appliedByAll(now: Instant) {
        guard case .told = stage else { return }
        stage = .due(isSettled: true, notBefore: now)
    }

    /// The records to append now, if any are due.
    mutating func takeDue(now: Instant) -> [Told] {
        guard case .due(let isSettled, let notBefore) = stage, notBefore <= now else { return [] }
        stage = .appending(isSettled: isSettled)
        let everything: [Told] = hidesEverything ? [.everything] : []
        guard isSharded else { return everything }
        let whole = Membership(members, isSettled: isSettled)
        let isShort = whole.encoded.count <= Membership.encodedBytesMax
        return everything
            + [.members(isShort ? whole : Membership(nil, isSettled: isSettled))]
    }

    /// A record is in the log. A record of members that have changed since has no effect.
    mutating func appended(_ told: Told, at position: LogPosition) {
        switch told {
        case .everything:
            guard !isSharded, stage == .appending(isSettled: false) else { return }
            stage = .settled
        case .members(let membership):
            guard isSharded, stage == .appending(isSettled: membership.isSettled),
                membership.members.map({ $0 == members }) ?? true
            else { return }
            stage = membership.isSettled ? .settled : .told(position)
        }
        hidesEverything = false
    }

    /// The log refused a record.
    mutating func refused(retryAt: Instant) {
        guard case .appending(let isSettled) = stage else { return }
        stage = .due(isSettled: isSettled, notBefore: retryAt)
    }

    /// When a record is due; `nil` if none is.
    var nextDue: Instant? {
        if case .due(_, let notBefore) = stage { notBefore } else { nil }
    }
}
