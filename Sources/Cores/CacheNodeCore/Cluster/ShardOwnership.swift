import CacheMemory
import CacheModel
import CacheWire

/// The keys that a shard owns under given members of a sharded cluster.
struct ShardKeys: Sendable {
    let members: [Membership.Member]
    private let topology: Topology
    /// The shard's index; `nil` if it is not among the members.
    private let number: ShardNumber?

    init(_ members: [Membership.Member], of node: NodeID, _ shard: ShardIndex) {
        self.members = members
        let topology = Topology(members)
        self.topology = topology
        number = topology.index(of: node).flatMap { index in
            let numbers = topology.nodes[index.rawValue].shardNumbers
            return Int(shard.rawValue) < numbers.count
                ? ShardNumber(numbers.lowerBound + Int(shard.rawValue)) : nil
        }
    }

    /// - Complexity: O(shards of the cluster).
    func contains(_ route: RouteHash) -> Bool {
        number != nil && topology.owner(of: route) == number
    }
}

/// The keys for which a shard of a sharded cluster answers: docs/decisions/0084.
///
///     unchecked ──report with MEMBERS──▶ known ◀──record of members── any
///                                          │  ▲
///                        gap, new epoch    ▼  │ report
///                                        unknown
///
/// The log states the members; before its first statement the topology report does. Between the
/// record that states new members and the one that states that they are settled, a key must be
/// owned under both.
struct ShardOwnership {
    /// The current members.
    private struct InForce {
        let keys: ShardKeys
        let isSettled: Bool
        /// Members that were in force before, while keys move: a key must be owned under these,
        /// too. `nil` if unknown: no key is answered.
        var before: [ShardKeys]? = []
        /// The position of the record, or of the log when the report was made.
        let toldAt: LogPosition
        let isReported: Bool
    }

    private struct Reported {
        let version: UInt32
        let keys: ShardKeys
        /// `nil` from a publisher that does not check.
        let note: MembersNote?
    }

    private enum State {
        /// Not reported: a publisher of an earlier release, or another kind of topology.
        case unchecked
        /// A report made at or after this position will state them; until then no key is answered.
        case unknown(notBefore: LogPosition)
        case known(InForce)
    }

    /// The effect of a change of owners on a shard's entries.
    enum Consequence {
        case none
        /// The owners are known, and nothing is hidden.
        case adopts
        /// A record moves keys between owners that were known until it, and are known after it.
        case moves(keeping: @Sendable (RoutedKey) -> Bool)
        /// `nil`: no entry stays visible.
        case hides(keeping: (@Sendable (RoutedKey) -> Bool)?)
    }

    private let node: NodeID
    private let shard: ShardIndex
    private var state = State.unchecked { didSet { noteReport() } }
    private var isSharded = true
    /// The newest report's version, and its members.
    private var reported: Reported? { didSet { noteReport() } }
    /// The topology version with which a read is correctly routed without a check, and the position
    /// from which on: its members are those in force, and settled.
    private var trusted: (version: UInt32, from: LogPosition)?
    /// Whether the report's members differ from those in force.
    private(set) var isReportOutdated = false

    /// Maximum concurrent changes; with more, no key is answered until the last is settled.
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

    // MARK: Queries

    /// Whether every key is answered.
    var isUnchecked: Bool { if case .unchecked = state { true } else { false } }

    /// Whether a read that was routed by this version of the topology needs no check.
    func trusts(_ version: UInt32?, at applied: LogPosition) -> Bool {
        guard let trusted, let version else { return false }
        return version == trusted.version && applied >= trusted.from
    }

    /// The members in force; `nil` if unknown, or not checked.
    var membersInForce: [Membership.Member]? {
        if case .known(let inForce) = state { inForce.keys.members } else { nil }
    }

    /// Whether the shard answers for the key of a route hash.
    ///
    /// - Parameter applied: the shard's position.
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

    // MARK: Changes

    /// A topology report came.
    ///
    /// - Parameter note: its MEMBERS field; `nil` from a publisher of an earlier release.
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

    /// The log states changes of the members, and their positions: a report only fills in unknown
    /// members.
    private func mayFill(_ note: MembersNote, wasReported: Bool) -> Bool {
        switch state {
        // A publisher that has just been upgraded: answered keys continue to be answered.
        case .unchecked: note.isSettled || !wasReported
        case .unknown(let notBefore): note.asOf >= notBefore
        case .known(let inForce): inForce.isReported && !inForce.isSettled
        }
    }

    /// Accepts a report's members if the log has not stated them, although it is applied up to the
    /// report's position: a publisher with its log in memory that was started with another
    /// configuration does not know the earlier members, and the record that members are settled may
    /// be lost with a disk.
    ///
    /// - Parameter applied: the position up to which no record stated them.
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

    /// A record of the log states the members.
    ///
    /// - Returns: its effect on entries filled before it.
    mutating func apply(_ membership: Membership, at position: LogPosition) -> Consequence {
        // From before the cluster became a replicated one, or the report of a change to a sharded
        // one has not arrived: the next report states them.
        guard isSharded else {
            state = .unknown(notBefore: position)
            return .hides(keeping: nil)
        }
        guard let members = membership.members else {
            // Too many for a record: a report states them.
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
        under old: ShardKeys, _ new: ShardKeys
    ) -> @Sendable (RoutedKey) -> Bool {
        { key in
            let route = RouteHash(key.route, slot: .first)
            return old.contains(route) && new.contains(route)
        }
    }

    /// Whether the shard owns a key now, as far as that is known.
    var keeps: (@Sendable (RoutedKey) -> Bool)? {
        guard case .known(let inForce) = state, inForce.isSettled else { return nil }
        let keys = inForce.keys
        return { keys.contains(RouteHash($0.route, slot: .first)) }
    }

    /// Later records are unknown: the members may have changed.
    ///
    /// - Parameter isChecked: whether keys had owners, by members or otherwise: then no key is
    ///   answered before a report.
    mutating func forget(isChecked: Bool = false) {
        if isChecked || !isUnchecked { state = .unknown(notBefore: .none) }
    }

    /// The members under which a key must be owned until new members are settled.
    private func owners(before new: ShardKeys, _ old: ShardKeys?) -> [ShardKeys]? {
        guard let old else { return nil }
        var before: [ShardKeys]? = []
        if case .known(let inForce) = state, !inForce.isSettled { before = inForce.before }
        guard old.members != new.members else { return before }
        return before.flatMap { $0.count < Self.changesMax ? $0 + [old] : nil }
    }

    /// The members under which the shard stored its entries from before a position; `nil` if
    /// unknown.
    private func inForce(before position: LogPosition) -> ShardKeys? {
        switch state {
        case .unchecked: return reported?.keys
        case .unknown: return nil
        case .known(let inForce):
            // A report newer than the record may state the record's own members.
            if inForce.isReported, inForce.toldAt >= position { return nil }
            return inForce.keys
        }
    }

    private func keys(_ members: [Membership.Member]) -> ShardKeys {
        ShardKeys(members, of: node, shard)
    }
}
