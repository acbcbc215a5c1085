import CacheInvalidation
import CacheMemory
import CacheModel
import CacheWire

/// The settings of one seed's world: all are drawn from the seed.
final class Settings {
    let nodeCount: Int
    let shardCount: Int
    let kind: TopologyReport.Kind
    /// The longest lease that a publisher of this world grants.
    let leaseMilliseconds: Int
    /// Whether each start of the publisher finds another lease in its configuration.
    let leaseChanges: Bool
    let heartbeatMilliseconds: Int
    /// A small number of kept records causes truncations.
    let logRecordsMax: Int
    /// A small number of messages causes overflows of the live channel.
    let liveHighWaterMark: Int
    /// Whether the log is on a disk.
    let isDurable: Bool
    /// The duration of a step of the log's thread.
    let diskMicroseconds: ClosedRange<Int>
    let segmentBytes: Int
    /// For a log on disk: how many records are in memory too, and how long records are kept.
    let windowRecordsMax: Int
    let logSecondsMax: UInt64?
    /// Small tables are full soon, and drop floors.
    let tierLimits: MemoryTierLimits
    let linkDelayMicroseconds: ClosedRange<Int>
    let originMicroseconds: ClosedRange<Int>
    /// The policy of namespaces that are not listed, and those of the others.
    let policy: NamespacePolicy
    let policies: [Namespace: NamespacePolicy]
    let faults: FaultKinds
    let faultEveryMicroseconds: ClosedRange<Int>
    let readEveryMicroseconds: Int
    let writeEveryMicroseconds: Int
    /// Duration of the phase with faults.
    let trouble: Span
    /// The time in which all nodes must recover after that: twice the longest pause before a node's
    /// retry.
    let recovery = Span.milliseconds(25_000)

    /// The checks of the cores.
    let guards: Guards
    /// `nil`: nodes have no disk tiers.
    let tiers: TierSettings?
    /// `nil`: applications fill the caches.
    let origin: OriginSettings?
    /// Whether a node sometimes leaves the cluster and comes back.
    let membersChange: Bool
    /// `nil`: one publisher is alone.
    let shared: SharedSettings?
    /// Whether slots that the log assigns are in force.
    let hasSlots: Bool
    /// Whether nodes are told to leave, and start again.
    let nodesLeave: Bool
    /// How many nodes the configuration lists, if the others may join; `nil`: it lists all.
    let listedCount: Int?

    /// How many of a thousand seeds have different leases, and how many have changing members,
    /// unless other settings exclude it.
    private static let leasesPerMille = 300
    private static let membersPerMille = 700
    /// How many of a thousand seeds with slots have a publisher that is not stopped.
    private static let steadyPublisherPerMille = 600
    /// How many of them have nodes that join without being listed.
    private static let openPerMille = 400
    /// How many of them have nodes that are told to leave.
    private static let leavesPerMille = 400

    init(
        _ dice: inout Dice, _ separate: inout SeparateDice, guards: Guards, _ kind: WorldKind
    ) {
        self.guards = guards
        var shared =
            kind.publishers > 1 ? SharedSettings(&separate.shared, atMost: kind.publishers) : nil
        let (tiers, origin) = (TierSettings(&separate.tiers), OriginSettings(&separate.origin))
        (self.tiers, self.origin) = (tiers, origin)
        let mayMembersChange =
            separate.members.chance(perMille: Self.membersPerMille) && shared == nil
            && (kind.hasSlots || tiers == nil && origin == nil)
        leaseChanges =
            separate.leases.chance(perMille: Self.leasesPerMille) && shared == nil
        nodeCount = dice.number(in: 2...3)
        shardCount = dice.number(in: 1...2)
        self.kind = dice.chance(perMille: 500) || kind.hasSlots ? .sharded : .replicated
        leaseMilliseconds = dice.pick([300, 600, 1_000])
        shared?.fit(leaseMilliseconds: leaseMilliseconds)
        self.shared = shared
        heartbeatMilliseconds = dice.pick([50, 100, 200])
        liveHighWaterMark = dice.pick([2, 8, 1_000])
        isDurable = dice.chance(perMille: 500) || kind.hasSlots
        hasSlots = kind.hasSlots
        listedCount = Self.listedCount(kind, of: nodeCount, &separate.joins)
        nodesLeave = kind.hasSlots && separate.leaves.chance(perMille: Self.leavesPerMille)
        diskMicroseconds = 20...dice.pick([200, 8_000, 300_000])
        segmentBytes = dice.pick([300, 1_500, 100_000])
        windowRecordsMax = dice.pick([2, 1_000])
        logSecondsMax = dice.chance(perMille: 200) ? 2 : nil
        tierLimits = Self.limits(&dice)
        linkDelayMicroseconds = 20...dice.pick([200, 2_000, 20_000])
        originMicroseconds = 100...dice.pick([20_000, 400_000, 3_000_000])
        let (policy, listed) = Self.policies(&dice)
        self.policy = policy
        policies = origin?.policies(over: policy, listed) ?? listed
        let isFocused = dice.chance(perMille: 300)
        var faults: FaultKinds = []
        if isFocused {
            faults = [dice.pick(FaultKinds.each), dice.pick(FaultKinds.each)]
        } else {
            for kind in FaultKinds.each where dice.chance(perMille: 400) { faults.insert(kind) }
        }
        // Only the disk of a dying publisher is damaged.
        if faults.contains(.diskFaults) { faults.insert(.publisherDeaths) }
        // A disk tier is useful only to the next run.
        if tiers != nil { faults.insert(.nodeDeaths) }
        // Several publishers have faults of their own.
        if shared != nil { faults.subtract([.publisherDeaths, .diskFaults]) }
        if kind.hasSlots { Self.steady(&faults, &separate.slots) }
        self.faults = faults
        membersChange = mayMembersChange && self.kind == .sharded
        let kept = dice.pick(faults.contains(.naps) ? [4, 4, 16] : [4, 16, 10_000])
        logRecordsMax = tiers?.logRecordsMax ?? kept
        let every = 20_000...dice.pick(isFocused ? [150_000] : [150_000, 400_000])
        faultEveryMicroseconds = tiers?.otherFaultsEveryMicroseconds ?? every
        let reads =
            faults.contains(.naps) ? dice.pick([3_000, 8_000]) : dice.pick([8_000, 16_000])
        readEveryMicroseconds =
            shared?.readEveryMicroseconds ?? origin?.readEveryMicroseconds
            ?? tiers?.readEveryMicroseconds ?? reads
        let writes = dice.pick([20_000, 60_000])
        // A node's entries of keys that it loses must live until it owns them again.
        writeEveryMicroseconds =
            membersChange
            ? 300_000 : shared?.writeEveryMicroseconds ?? tiers?.writeEveryMicroseconds ?? writes
        let trouble = Span.milliseconds(dice.number(in: 800...2_400))
        let long = membersChange ? Span.milliseconds(6_000) : trouble
        self.trouble = shared?.trouble ?? tiers?.trouble ?? origin?.trouble ?? long
    }

    private static func listedCount(
        _ kind: WorldKind, of nodeCount: Int, _ dice: inout Dice
    ) -> Int? {
        let isOpen = kind.hasSlots && dice.chance(perMille: openPerMille)
        return isOpen ? dice.number(in: 0...nodeCount) : nil
    }

    /// A publisher that has just begun lets no slot fail over, and knows floors of a short time: it
    /// goes on in most seeds with slots.
    private static func steady(_ faults: inout FaultKinds, _ dice: inout Dice) {
        guard dice.chance(perMille: steadyPublisherPerMille) else { return }
        faults.subtract([.publisherDeaths, .diskFaults])
        faults.formUnion([.partitions, .naps])
    }

    /// Whether a starting publisher may not know the leases of its predecessor: its log is in
    /// memory, or may have been restored from a copy.
    var mayGrantsBeForgotten: Bool {
        shared == nil && (!isDurable || faults.contains(.diskFaults))
    }

    /// Whether a node loses all its slots for no other reason than that it is silent.
    var onlySilentNodesLoseSlots: Bool {
        shared == nil && !nodesLeave && !membersChange && listedCount == nil
    }

    /// Whether there may be fewer members than nodes.
    var mayMembersBeFewer: Bool { membersChange || listedCount != nil }

    /// A lease plus one percent for clocks: every fresh answer reflects all records that are older.
    var bound: Span { .microseconds(1_010 * leaseMilliseconds) }

    func policy(of namespace: Namespace) -> NamespacePolicy { policies[namespace] ?? policy }

    /// Whether nodes load this key themselves.
    func isLoaded(_ item: Int) -> Bool {
        origin != nil && policy(of: Catalog.items[item].namespace).readsThrough
    }

    func makeDisk() -> SimulatedDisk? {
        guard isDurable, shared == nil else { return nil }
        let retention = LogRetention(
            recordsMax: logRecordsMax, bytesMax: 1 << 20, secondsMax: logSecondsMax)
        return SimulatedDisk(
            segmentBytes: segmentBytes, retention: retention)
    }

    private static func limits(_ dice: inout Dice) -> MemoryTierLimits {
        var limits = MemoryTierLimits(residentBytesMax: 1 << 16)
        limits.keyFloorsMax = dice.pick([2, 4, 131_072])
        limits.tagsMax = dice.pick([1, 131_072])
        limits.prefixFloorsMax = dice.pick([1, 8_192])
        limits.loadLeasesMax = dice.pick([4, 65_536])
        limits.floorAgeMin = .milliseconds(dice.pick([200, 60_000]))
        return limits
    }

    /// The longest lag of the database replicas of a namespace.
    func replicaLag(of namespace: Namespace) -> Span {
        Span(nanoseconds: policy(of: namespace).replicaLag.wholeNanoseconds)
    }

    /// Some databases have lagging replicas, all of them or that of one namespace.
    private static func policies(
        _ dice: inout Dice
    ) -> (of: NamespacePolicy, listed: [Namespace: NamespacePolicy]) {
        var policy = policy(&dice)
        guard dice.chance(perMille: 350) else { return (policy, [:]) }
        var lagging = policy
        lagging.replicaLag = .milliseconds(dice.pick([300, 600, 1_000]))
        guard dice.chance(perMille: 500) else { return (policy, [Catalog.namespaces[1]: lagging]) }
        policy = lagging
        return (policy, [:])
    }

    private static func policy(_ dice: inout Dice) -> NamespacePolicy {
        var policy = NamespacePolicy()
        policy.suspect = dice.pick([.serve, .refuse, .revalidate])
        policy.blindSet = dice.pick([.allow, .allow, .holdOff])
        policy.holdOff = .milliseconds(300)
        policy.loadLease = .milliseconds(dice.pick([50, 500]))
        policy.staleWindow = .milliseconds(500)
        if dice.chance(perMille: 200) { policy.timeToLive = .milliseconds(400) }
        return policy
    }

    /// For a report.
    var text: String {
        """
        \(nodeCount) nodes of \(shardCount) shards, \(kind); lease \(leaseMilliseconds) ms, \
        heartbeat \(heartbeatMilliseconds) ms; log \(place) of \
        \(logRecordsMax) records, live channel of \(liveHighWaterMark) messages; \
        links \(linkDelayMicroseconds) µs, origin \(originMicroseconds) µs; \
        replicas of the namespaces lag \(Catalog.namespaces.map { replicaLag(of: $0).duration }); \
        \(policy.suspect) while suspect, blind stores \
        \(policy.blindSet), loads \(policy.loadLease); faults: \
        \(faults.names.joined(separator: ", ")), every \(faultEveryMicroseconds) µs
        """ + (tiers.map { "; " + $0.text } ?? "") + (origin.map { "; " + $0.text } ?? "")
            + (membersChange ? "; a node leaves the configuration and comes back" : "")
            + (hasSlots ? "; the log assigns slots" : "")
            + (listedCount.map { "; \($0) of the nodes are listed, and others join" } ?? "")
            + (nodesLeave ? "; nodes are told to leave" : "")
            + (leaseChanges ? "; each start of the publisher finds another lease" : "")
            + (shared.map { "; " + $0.text } ?? "")
    }

    private var place: String {
        shared != nil ? "on a store" : isDurable ? "on disk" : "in memory"
    }
}
