import CacheModel
import CacheWire

/// Which keys are a shard's under some members of a sharded cluster.
struct OwnedKeys: Sendable {
    let members: [Membership.Member]
    private let topology: Topology
    /// The shard's place; `nil` where it is none of theirs.
    private let slot: SlotIndex?

    init(_ members: [Membership.Member], of node: NodeID, _ shard: ShardIndex) {
        self.members = members
        let topology = Topology(members)
        self.topology = topology
        slot = topology.index(of: node).flatMap { index in
            let slots = topology.nodes[index.rawValue].slots
            return Int(shard.rawValue) < slots.count
                ? SlotIndex(slots.lowerBound + Int(shard.rawValue)) : nil
        }
    }

    /// - Complexity: O(shards of the cluster).
    func contains(_ route: RouteHash) -> Bool {
        slot != nil && topology.owner(of: route) == slot
    }
}

/// For which keys a shard of a sharded cluster answers: docs/decisions/0084.
///
///     unchecked ──report with MEMBERS──▶ known ◀──record of members── any
///                                          │  ▲
///                        gap, new epoch    ▼  │ report
///                                        unknown
///
/// The members are what the log says, and before it says anything what the topology report says.
/// Between the record that names new members and the one that says they are settled a key has to
/// be owned under both.
struct ShardOwnership {
    /// Who the members are.
    private struct InForce {
        let keys: OwnedKeys
        let isSettled: Bool
        /// Members that were in force before, while keys move: a key has to be owned under these,
        /// too. `nil` where they are not known: no key is answered for.
        var before: [OwnedKeys]? = []
        /// Where the log said it, or stood when the report that says it was made.
        let toldAt: LogPosition
        let isReported: Bool
    }

    private struct Reported {
        let version: UInt32
        let keys: OwnedKeys
        /// `nil` from a publisher that does not check.
        let note: MembersNote?
    }

    private enum State {
        /// Nobody tells: a publisher of a release before, or another kind of topology.
        case unchecked
        /// A report that was made there or later will tell; until then no key is answered for.
        case unknown(notBefore: LogPosition)
        case known(InForce)
    }

    /// What becomes of what a shard holds when the members change.
    enum Consequence {
        case none
        /// `nil`: nothing of it stays visible.
        case hides(keeping: (@Sendable (UInt64) -> Bool)?)
    }

    private let node: NodeID
    private let shard: ShardIndex
    private var state = State.unchecked { didSet { noteReport() } }
    private var isSharded = true
    /// The newest report's version, and its members.
    private var reported: Reported? { didSet { noteReport() } }
    /// By which version of the topology a read is routed rightly, without a look, and from which
    /// place on: its members are those in force, and settled.
    private var trusted: (version: UInt32, from: LogPosition)?
    /// Whether the report names others than the members in force.
    private(set) var isReportOutdated = false

    /// Changes that may be under way at a time; with more no key is answered for until the last
    /// is settled.
    private static let changesMax = 8

    init(node: NodeID, shard: ShardIndex) {
        self.node = node
        self.shard = shard
    }

    private mutating func noteReport() {
        guard case .known(let inForce) = state, let reported else {
            return (trusted, isReportOutdated) = (nil, false)
        }
        isReportOutdated = inForce.keys.members != reported.keys.members
        trusted =
            inForce.isSettled && !isReportOutdated
            ? (reported.version, inForce.toldAt) : nil
    }

    // MARK: Asking

    /// Whether every key is answered for.
    var isUnchecked: Bool { if case .unchecked = state { true } else { false } }

    /// Whether a read that was routed by this version of the topology needs no look.
    func trusts(_ version: UInt32?, at applied: LogPosition) -> Bool {
        guard let trusted, let version else { return false }
        return version == trusted.version && applied >= trusted.from
    }

    /// The members in force; `nil` where they are not known, or not checked.
    var membersInForce: [Membership.Member]? {
        if case .known(let inForce) = state { inForce.keys.members } else { nil }
    }

    /// Whether the shard answers for the key of a route hash.
    ///
    /// - Parameter applied: where the shard stands.
    /// - Complexity: O(shards of the cluster).
    func answers(_ route: RouteHash, at applied: LogPosition) -> Bool {
        switch state {
        case .unchecked: return true
        case .unknown: return false
        case .known(let inForce):
            if applied < inForce.toldAt { return false }
            return inForce.keys.contains(route)
                && (inForce.isSettled
                    || inForce.before?.allSatisfy { $0.contains(route) } ?? false)
        }
    }

    // MARK: Being told

    /// A topology report came.
    ///
    /// - Parameter note: what it says of its nodes as members; `nil` from a publisher of a release
    ///   before.
    mutating func report(_ report: TopologyReport, _ note: MembersNote?) {
        isSharded = report.kind == .sharded
        let wasReported = reported != nil
        reported =
            isSharded
            ? Reported(version: report.version, keys: keys(report.members), note: note) : nil
        guard let reported, let note else { return state = .unchecked }
        if mayFill(note, wasReported: wasReported) {
            state = .known(
                InForce(
                    keys: reported.keys, isSettled: note.isSettled, before: nil,
                    toldAt: note.asOf, isReported: true))
        }
    }

    /// Of a change of what is in force the log tells, and when: a report fills in only what is not
    /// known.
    private func mayFill(_ note: MembersNote, wasReported: Bool) -> Bool {
        switch state {
        // A publisher that has just learnt to tell: what was answered for goes on to be.
        case .unchecked: note.isSettled || !wasReported
        case .unknown(let notBefore): note.asOf >= notBefore
        case .known(let inForce): inForce.isReported && !inForce.isSettled
        }
    }

    /// Takes what a report says where the log has not said it, although it was obeyed up to there:
    /// a publisher with its log in memory that was started with another configuration knows no
    /// members before, and the record that members are settled may be lost with a disk.
    ///
    /// - Parameter applied: up to where nothing was said.
    mutating func reconcile(at applied: LogPosition) -> Consequence {
        guard case .known(let old) = state, let reported, isReportOutdated || !old.isSettled,
            let note = reported.note, note.isSettled, note.asOf >= old.toldAt,
            note.asOf <= applied, note.asOf.epoch == applied.epoch
        else { return .none }
        let isOther = isReportOutdated
        state = .known(
            InForce(keys: reported.keys, isSettled: true, toldAt: note.asOf, isReported: true))
        return isOther ? .hides(keeping: Self.kept(under: old.keys, reported.keys)) : .none
    }

    /// A record of the log says who the members are.
    ///
    /// - Returns: what it means for what was filled before it.
    mutating func apply(_ membership: Membership, at position: LogPosition) -> Consequence {
        // Of a time before the cluster became a replicated one, or the report of a change to a
        // sharded one has yet to come: the next report tells.
        guard isSharded else {
            state = .unknown(notBefore: position)
            return .hides(keeping: nil)
        }
        guard let members = membership.members else {
            // Too many to be named: a report names them.
            state = .unknown(notBefore: position)
            return .hides(keeping: nil)
        }
        let old = inForce(before: position)
        let new = keys(members)
        state = .known(
            InForce(
                keys: new, isSettled: membership.isSettled,
                before: membership.isSettled ? [] : owners(before: new, old),
                toldAt: position, isReported: false))
        guard let old else { return .hides(keeping: nil) }
        return old.members == members ? .none : .hides(keeping: Self.kept(under: old, new))
    }

    private static func kept(
        under old: OwnedKeys, _ new: OwnedKeys
    ) -> @Sendable (UInt64) -> Bool {
        { route in
            let route = RouteHash(route)
            return old.contains(route) && new.contains(route)
        }
    }

    /// What happened since is not known: somebody else may be a member.
    mutating func forget() {
        if !isUnchecked { state = .unknown(notBefore: .none) }
    }

    /// Under whom a key has to be owned until new members are settled.
    private func owners(before new: OwnedKeys, _ old: OwnedKeys?) -> [OwnedKeys]? {
        guard let old else { return nil }
        var before: [OwnedKeys]? = []
        if case .known(let inForce) = state, !inForce.isSettled { before = inForce.before }
        guard old.members != new.members else { return before }
        return before.flatMap { $0.count < Self.changesMax ? $0 + [old] : nil }
    }

    /// By which members the shard has stored what it holds from before a place; `nil` where that is
    /// not known.
    private func inForce(before position: LogPosition) -> OwnedKeys? {
        switch state {
        case .unchecked: return reported?.keys
        case .unknown: return nil
        case .known(let inForce):
            // A report that is newer than the record may name the record's own members.
            if inForce.isReported, inForce.toldAt >= position { return nil }
            return inForce.keys
        }
    }

    private func keys(_ members: [Membership.Member]) -> OwnedKeys {
        OwnedKeys(members, of: node, shard)
    }
}
