import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore

/// The cluster's configuration, which changes in some of the seeds: the nodes in it, and the lease.
///
/// All random choices here use separate generators.
final class ClusterConfiguration: WorldPart {
    let timeline: Timeline
    let nodes: SimulatedNodes
    private let origin: SimulatedOrigin
    private(set) var members: Set<Int>
    /// When a node left the configuration last.
    private var memberLeftAt = WorldTime.beginning
    private(set) var leaseMilliseconds: Int
    /// The newest owners of slots that a publisher has had.
    private var newestTable: SlotTable?

    private var publisher: SimulatedPublisher { nodes.publisher }

    init(_ nodes: SimulatedNodes, _ origin: SimulatedOrigin) {
        (timeline, self.nodes, self.origin) = (nodes.timeline, nodes, origin)
        members = Set(0..<nodes.settings.nodeCount)
        leaseMilliseconds = nodes.settings.leaseMilliseconds
    }

    /// The configuration that a publisher gets at its start.
    var plan: PublisherPlan {
        var plan = Self.plan(settings)
        plan.nodes = planNodes
        plan.lease = .milliseconds(leaseMilliseconds)
        return plan
    }

    /// The nodes that the configuration names. Others may join.
    var listed: Set<Int> { members.filter { $0 < settings.listedCount ?? .max } }

    private var planNodes: [PublisherPlan.Node] {
        listed.sorted().map {
            PublisherPlan.Node(id: SimulatedNodes.id(of: $0), shards: settings.shardCount)
        }
    }

    /// What no change of the configuration touches.
    static func plan(_ settings: Settings) -> PublisherPlan {
        var plan = PublisherPlan(nodes: [])
        plan.kind = settings.kind
        plan.leaseMax = .milliseconds(settings.leaseMilliseconds)
        plan.heartbeat = .milliseconds(settings.heartbeatMilliseconds)
        plan.replicaLagDefault = settings.policy.replicaLag
        plan.replicaLags = settings.policies.mapValues(\.replicaLag)
        plan.beginsSlots = settings.hasSlots
        plan.isOpen = settings.listedCount != nil
        plan.failoverAfter = .milliseconds(2 * settings.leaseMilliseconds)
        plan.guards = settings.guards
        plan.configuration = ConfigReport(revision: 1, text: "nodes: []\n")
        return plan
    }

    // MARK: Members

    func planMembers() {
        guard settings.membersChange else { return }
        count(.memberSeeds)
        planMembersChange()
    }

    /// A joining node needs time to start and to get requests.
    private func planMembersChange() {
        let isWhole = members.count == settings.nodeCount
        let pause = timeline.separate.members.number(
            in: isWhole ? 300_000...1_200_000 : 30_000...400_000)
        timeline.add(.membersChange, at: now + .microseconds(pause))
    }

    func membersChange() {
        guard !isCalm else { return }
        count(.changesOfMembers)
        let last = settings.nodeCount - 1
        if members.contains(last) {
            members.remove(last)
            memberLeftAt = now
        } else {
            members.insert(last)
        }
        configure()
        planMembersChange()
    }

    /// Before the end all nodes are members again.
    func restoreMembers() {
        guard members.count < settings.nodeCount else { return }
        members = Set(0..<settings.nodeCount)
        configure()
    }

    /// docs/consistency.md: an earlier publisher may have granted a lease to a node that left
    /// since. A publisher that does not know this lease does not wait for the node.
    func keepUnknownMembers() {
        guard settings.mayGrantsBeForgotten, now < memberLeftAt + settings.bound else { return }
        restoreMembers()
    }

    /// A publisher that is down reads the configuration at its start.
    private func configure() {
        note(.world, "names members, of nodes", members.count)
        for node in members.sorted() {
            let newest = nodes.newestRun[node]
            guard newest < 0 || nodes.runs[newest].isDead else { continue }
            timeline.add(
                .nodeStarts(node), at: now + .microseconds(timeline.separate.members.below(300_000))
            )
        }
        guard publisher.isUp else { return }
        publisher.core.configurationChanged(
            to: plan, now: publisher.clock.reading(at: now))
        publisher.wake(at: soon())
    }

    /// The place of a key: its owner among the present members, or any node of a replicated
    /// cluster.
    func home(of item: Int) -> (node: Int?, shard: Int) {
        guard settings.kind == .sharded else { return (nil, item % settings.shardCount) }
        if let home = homeBySlot(of: item) { return home }
        let topology = Topology(
            planNodes.map {
                Membership.Member(
                    node: $0.id, shards: UInt16($0.shards),
                    weightThousandths: $0.weightThousandths)
            })
        let key = Catalog.items[item]
        // Where no node is listed, none owns a key before slots are in force.
        guard let owner = topology.owner(of: key.key, in: key.namespace) else { return (0, 0) }
        return (members.sorted()[owner.nodeIndex.rawValue], Int(owner.shard))
    }

    /// By the newest table that a publisher has had; `nil`: slots are not in force.
    private func homeBySlot(of item: Int) -> (node: Int?, shard: Int)? {
        guard settings.hasSlots else { return nil }
        let isActing = publisher.isUp && (settings.shared == nil || publisher.shared.isLeading)
        if isActing, let table = publisher.core.slots.table { newestTable = table }
        let slot = Catalog.items[item].key.bytes.withUnsafeBytes { HashSlot(of: $0) }
        guard let table = newestTable, let owner = table[slot],
            let member = table.members[owner.member]
        else { return nil }
        let number = (0..<settings.nodeCount).first { SimulatedNodes.id(of: $0) == member.node }
        return number.map { ($0, Int(owner.shard)) }
    }

    /// The first key that belongs to a shard and has a value now; `nil` if there is none.
    func firstItem(of place: ShardPlace) -> Int? {
        guard settings.kind == .sharded else { return place.shard }
        return Catalog.items.indices.first { item in
            let home = home(of: item)
            let content = origin.database.version(of: item, at: now)
            return home.node == nodes.runs[place.run].node && home.shard == place.shard
                && settings.origin?.isAbsent(item, content) != true
        }
    }

    // MARK: Leases

    /// Draws the lease in the configuration at a start of the publisher.
    func drawLease() {
        guard settings.leaseChanges else { return }
        let longest = settings.leaseMilliseconds
        leaseMilliseconds = timeline.separate.leases.pick([longest / 3, longest])
        note(.publisher, "finds a lease of milliseconds", leaseMilliseconds)
    }

    /// The lease to write to the stamp at the end of a publisher; `nil` if a run may still hold a
    /// longer lease of an earlier one.
    var leaseToStamp: UInt32? {
        let inherited = Duration.milliseconds(Int64(settings.leaseMilliseconds))
        let since = publisher.clock.reading(at: now).elapsed(since: publisher.startedAt)
        return since >= InvalidationLimits.grant(for: inherited) ? UInt32(leaseMilliseconds) : nil
    }
}
