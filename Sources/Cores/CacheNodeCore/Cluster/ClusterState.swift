import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// The cluster as one shard knows it: its kind, the members that own keys, its configuration, and
/// the part that this run has in it.
///
///     topology reports ───┐                 ┌─▶ is this key answered here?
///     records of members ─┼─▶ ClusterState ──┼─▶ may this run store?
///     lease, drain ───────┘                 └─▶ reports for askers
///
/// The effect of a change on entries is returned: they are another component's.
struct ClusterState {
    private let hasDisk: Bool
    private let guards: Guards
    /// `nil` until the publisher has reported it.
    private(set) var kind: TopologyReport.Kind?
    /// An encoded TOPOLOGY REPORT without its request id; empty until one came.
    private(set) var topologyFrame: [UInt8] = []
    /// An encoded CONFIG REPORT without its request id; empty until one came.
    private(set) var configFrame: [UInt8] = []
    /// A hash of the members that determine this shard's keys; `nil` until known.
    private(set) var owners: UInt64?
    private var ownership: ShardOwnership
    private let place: (node: NodeID, shard: ShardIndex)
    /// `nil`: members of the cluster share the keys.
    private var slots: SlotOwnership? { didSet { noteSlots() } }
    /// Whether the log is another one since ``takeSlotsNews()``, and its slots are not known.
    private var hasLostSlots = false
    private(set) var isBySlots = false
    /// What every read and every turn asks of ``slots``, which are too large to be looked at for
    /// each.
    private var (trustedVersion, areSlotsOutdated): (UInt32?, Bool) = (nil, false)
    private var haveSlotsNews = false
    /// Entries on their way between owners of slots.
    var handOver: SlotHandOver
    /// Where the shard began, or went on after a gap: later records of slots are known.
    private var goesOnFrom = LogPosition.none
    /// Whether this run was ever granted a lease: until then the publisher may not know of it.
    private var hasHadLease = false
    private var isAskedToDrain = false
    private var hasReportedDrained = false

    /// - Parameter hasDisk: whether the nodes of the cluster have disk tiers.
    init(node: NodeID, shard: ShardIndex, hasDisk: Bool, guards: Guards = .all) {
        (self.hasDisk, self.guards) = (hasDisk, guards)
        handOver = SlotHandOver(guards)
        place = (node, shard)
        ownership = ShardOwnership(node: node, shard: shard)
    }

    private mutating func noteSlots() {
        isBySlots = slots != nil
        trustedVersion = slots?.trusted
        areSlotsOutdated = slots?.isReportOutdated ?? false
        haveSlotsNews = slots?.hasNews ?? false
    }

    // MARK: Reports

    /// The publisher has reported the topology.
    ///
    /// - Parameters:
    ///   - frame: an encoded TOPOLOGY REPORT without its request id.
    ///   - applied: the shard's position.
    /// - Returns: whether the cluster was of another kind before; else the effect on entries filled
    ///   before.
    mutating func updateTopology(
        _ frame: [UInt8], at applied: LogPosition
    ) -> (isOtherKind: Bool, owners: ShardOwnership.Consequence) {
        guard let (report, note) = frame.withUnsafeBytes({ Self.decoded($0) }) else {
            preconditionFailure("the control core hands over what it decoded")
        }
        let isOtherKind = kind.map { $0 != report.kind } ?? false
        let isFirst = kind == nil
        kind = report.kind
        topologyFrame = frame
        if let note, !note.isBySlots, slots?.isEnded(by: note.asOf, at: applied) == true {
            slots = nil
        }
        if isBySlots || note?.isBySlots == true {
            return (isOtherKind, updateSlots(report, note, at: applied, isFirst: isFirst))
        }
        ownership.report(report, note)
        let members = ownership.membersInForce ?? report.members
        owners = report.kind == .sharded ? Self.owners(members) : 1
        return (isOtherKind, .none)
    }

    /// Once the log assigns slots, no report of members in that epoch counts: it was made before.
    private mutating func updateSlots(
        _ report: TopologyReport, _ note: MembersNote?, at applied: LogPosition, isFirst: Bool
    ) -> ShardOwnership.Consequence {
        if slots == nil {
            slots = slotOwnership(notBefore: goesOnFrom, isFirst: isFirst)
        }
        guard let note, note.isBySlots, let table = report.slots else { return .none }
        let consequence = slots?.report(
            table, version: report.version, asOf: note.asOf, at: applied)
        updateOwners()
        return ended(consequence ?? .none)
    }

    private func slotOwnership(notBefore: LogPosition, isFirst: Bool) -> SlotOwnership {
        SlotOwnership(
            node: place.node, shard: place.shard, notBefore: notBefore, isFirst: isFirst,
            guards: guards)
    }

    /// A table that does not follow from the one before by a record ends the hand-over.
    private mutating func ended(
        _ consequence: ShardOwnership.Consequence
    ) -> ShardOwnership.Consequence {
        switch consequence {
        case .none, .moves: return consequence
        case .hides: break
        case .adopts where !handOver.hasLeftovers: return consequence
        case .adopts:
            handOver.endAll()
            return .hides(keeping: slots?.ownedKeys)
        }
        handOver.endAll()
        return consequence
    }

    /// - Returns: the report, and its MEMBERS field.
    private static func decoded(
        _ frame: UnsafeRawBufferPointer
    ) -> (TopologyReport, MembersNote?)? {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            return (try TopologyReport(decoding: message), message.fields.members)
        } catch {
            return nil
        }
    }

    mutating func updateConfig(_ report: ConfigReport) {
        var writer = ByteWriter()
        report.encode(requestID: 0, into: &writer)
        configFrame = writer.array
    }

    var isReplicated: Bool { kind == .replicated }

    // MARK: Members

    /// Whether every key is answered, because members are not checked.
    @inline(__always)
    var answersEveryKey: Bool { !isBySlots && ownership.isUnchecked }

    /// Whether a read that was routed by this version of the topology needs no check of its keys.
    @inline(__always)
    func trusts(_ version: UInt32?, at applied: LogPosition) -> Bool {
        guard !isBySlots else {
            return handOver.departures.isEmpty && version != nil && version == trustedVersion
        }
        return ownership.trusts(version, at: applied)
    }

    /// Whether an asker that routed by the newest report has to request a newer one.
    @inline(__always)
    var isReportOutdated: Bool {
        isBySlots ? areSlotsOutdated : ownership.isReportOutdated
    }

    /// Whether the shard answers for every key of a message that was decoded before.
    ///
    /// - Complexity: O(keys · shards of the cluster).
    func answersKeys(of message: MessageView, at applied: LogPosition) -> Bool {
        let namespace = message.fields.namespace ?? Namespace.defaultName
        var reader = ByteReader(message.body)
        var tags: [UnsafeRawBufferPointer] = []
        for _ in 0..<message.count {
            let key = ShardCore.planned { () throws(WireRefusal) in
                try reader.nextKey(of: message.type, tags: &tags)
            }
            // An invalid key is refused later.
            guard (1...CacheKey.bytesMax).contains(key.count) else { continue }
            guard answers(key, in: namespace, at: applied) else { return false }
        }
        return true
    }

    private func answers(
        _ key: UnsafeRawBufferPointer, in namespace: UnsafeRawBufferPointer,
        at applied: LogPosition
    ) -> Bool {
        guard !isBySlots else { return slots?.answers(HashSlot(of: key)) ?? false }
        let route = RouteHash(StableHash.route(namespace, key), slot: .first)
        return ownership.answers(route, at: applied)
    }

    /// A record of the log assigns slots.
    ///
    /// - Parameters:
    ///   - applied: the position before it.
    ///   - isVouching: whether this run has a lease. Without one another run of the node may have,
    ///     and store what this one does not know: it takes no entries of the owner before.
    /// - Returns: its effect on entries filled before it, and the slots with entries that arrive.
    mutating func apply(
        _ record: SlotRecord, at position: LogPosition, before applied: LogPosition,
        isVouching: Bool, now: Instant
    ) -> (consequence: ShardOwnership.Consequence, arrivals: [SlotMove]) {
        if isBySlots, let change = slots?.apply(record, at: position, before: applied) {
            if !isVouching { slots?.forgetSuccessions() }
            guard let moves = change.moves else { return (ended(change.consequence), []) }
            let arrivals = isVouching ? moves.arrivals : []
            return (
                handOver.note(moves, arrivals, change.consequence, now: now), arrivals
            )
        }
        var begun = slotOwnership(notBefore: position, isFirst: kind == nil)
        // Without a lease, another run of the node may have had one, and stored what this one does
        // not know.
        let consequence = begun.begin(
            with: record, at: position, keeping: hasHadLease ? ownership.keeps : nil)
        slots = begun
        return (consequence, [])
    }

    /// By slot: what is on disk was filled in this ownership from that sequence on; `nil` while
    /// unknown.
    var slotsSince: [SequenceNumber]? { slots?.since }

    /// The owners of slots, if they have changed since the last call.
    @inline(__always)
    mutating func takeSlotsNews() -> SlotsNews? {
        guard !hasLostSlots else {
            hasLostSlots = false
            return .unknown
        }
        return haveSlotsNews ? slots?.takeNews() : nil
    }

    /// Since when this shard has a key; none if keys are not owned by slots.
    func ownedSince(_ key: UnsafeRawBufferPointer) -> LogPosition {
        slots?.ownedSince(HashSlot(of: key)) ?? .none
    }

    /// What is known of the key of a write that another node forwards.
    ///
    /// - Parameters:
    ///   - since: the record that had given the key to that node.
    ///   - coveredAt: the newest record that covers the key.
    func forwarded(
        _ key: CacheKey, since: LogPosition, coveredAt: LogPosition?
    ) -> ForwardedWrite {
        guard since != .beyondAll else { return .unconditional }
        let slot = key.bytes.withUnsafeBytes { HashSlot(of: $0) }
        guard let own = slots?.ownedSince(slot, after: since) else { return .stale }
        return .following(ownedSince: own, coveredAt: coveredAt)
    }

    /// Ends the hand-over of slots that were lost or arrived long ago.
    ///
    /// - Returns: the effect on what is left of lost ones.
    mutating func endHandOver(now: Instant) -> ShardOwnership.Consequence {
        handOver.arrivals.removeEnded(now: now)
        guard handOver.departures.end(now: now), let owned = slots?.ownedKeys else { return .none }
        let left = handOver.departures.slots
        return .moves { left.contains($0.slot) || owned($0) }
    }

    /// A record of the log states the members.
    ///
    /// - Returns: its effect on entries filled before it.
    mutating func apply(
        _ membership: Membership, at position: LogPosition
    ) -> ShardOwnership.Consequence {
        ownership.apply(membership, at: position)
    }

    /// Accepts the owners of the newest report if no record up to `applied` has stated them.
    mutating func reconcile(at applied: LogPosition) -> ShardOwnership.Consequence {
        guard !isBySlots else { return ended(slots?.reconcile(at: applied) ?? .none) }
        return ownership.reconcile(at: applied)
    }

    /// Later records are unknown: keys may have other owners.
    ///
    /// - Parameters:
    ///   - applied: the last position of which they are known.
    ///   - mark: where the shard goes on.
    ///   - isOtherLog: whether that is in another log, which may share the keys in another way.
    mutating func forgetOwners(
        at applied: LogPosition, goingOnFrom mark: LogPosition, isOtherLog: Bool = false
    ) {
        goesOnFrom = mark
        ownership.forget(isChecked: isBySlots)
        handOver.forget()
        if isOtherLog, slots != nil { (slots, hasLostSlots) = (nil, true) }
        slots?.forget(at: applied, goingOnFrom: mark)
    }

    /// The entries of keys that moved are hidden: ``owners`` is of the owners in force.
    mutating func updateOwners() {
        owners = isBySlots ? slots?.digest : ownership.membersInForce.map(Self.owners)
    }

    /// A hash of the owners under these members. Equal for two lists under which every key has the
    /// same node and shard. Never 0 or 1.
    private static func owners(_ members: [Membership.Member]) -> UInt64 {
        var writer = ByteWriter()
        writer.append(TopologyReport.Kind.sharded.rawValue)
        for member in members.sorted(by: { $0.node.name < $1.node.name }) {
            writer.append(shortText: member.node.name)
            writer.append(UInt32(member.shards))
            writer.append(member.weightThousandths)
        }
        return StableHash.hash(writer.array) | 2
    }

    // MARK: This run

    /// Whether this run may store anything: the kind of the cluster is known, and a record could
    /// show a later run that this one stored something. If nodes have disk tiers, that run would
    /// serve the entry that a store of this one replaced: see docs/decisions/0034. If the log
    /// assigns slots, this run would hand over what it stored while another run had the lease.
    var mayStore: Bool {
        guard let kind else { return false }
        let isBySlots = isBySlots && guards.isOn(.slotsLeased)
        return !(hasDisk || isBySlots) || kind != .sharded || hasHadLease
    }

    /// Whether a value of a key that was loaded here may be stored: its slot is still this shard's.
    func mayStore(loaded key: UnsafeRawBufferPointer) -> Bool {
        mayStore && (slots?.answers(HashSlot(of: key)) ?? true)
    }

    mutating func noteLease() { hasHadLease = true }

    /// Whether the node is leaving, and others have the slots of this shard, or none can get them.
    ///
    /// - Parameter state: the node's.
    @inline(__always)
    func isDraining(_ state: NodeState) -> Bool {
        (isAskedToDrain || state == .draining) && slots?.isReplaceable != true
    }

    mutating func askToDrain() { isAskedToDrain = true }

    /// The node has left in order.
    ///
    /// - Returns: whether it is to be reported: once.
    mutating func finishDraining() -> Bool {
        defer { hasReportedDrained = true }
        return !hasReportedDrained
    }
}
