import CacheInvalidation
import CacheModel
import CacheNodeCore
import PublisherCore

/// A cluster of many nodes without faults, to measure what a change of the owners of slots costs.
///
///     nodes join ─▶ publisher ── records ──▶ nodes ── applied ──▶ publisher ── SERVED ──▶ nodes
///                       └── the new topology, to each node that requests it
///
/// The publisher and the control threads of the nodes are the shipped cores; shards apply what they
/// are told at once. Computing takes no time. A frame takes ``delay`` from one machine to another,
/// and the publisher's frames share a link of ``bytesPerSecond``.
package final class LargeCluster {
    /// The cost of one change.
    package struct Cost: Sendable {
        /// In the log.
        package internal(set) var records = 0
        /// Of the frames with records, as one node gets them.
        package internal(set) var recordBytes = 0
        /// Topologies that the publisher sent, and their bytes.
        package internal(set) var topologies = 0
        package internal(set) var topologyBytes = 0
        /// All that the publisher sent.
        package internal(set) var sentBytes = 0
        /// How many slots have another owner.
        package internal(set) var movedSlots = 0
        /// Until every slot has an owner that answers.
        package internal(set) var served = Duration.zero
        /// Until every node has the newest topology, too.
        package internal(set) var settled = Duration.zero
    }

    enum Event {
        case publisherTurns
        case logWorks
        case nodeTurns(Int)
        case toPublisher(Int, [UInt8])
        case toNode(Int, [UInt8], isLive: Bool)
    }

    /// One node's control thread.
    struct Node {
        var control: NodeControlCore
        var turnAt: WorldTime?
        var isDead = false
        /// Of the newest topology that it got.
        var topologyVersion: UInt32?
    }

    static let delay = Span.microseconds(250)
    private static let bytesPerSecond: UInt64 = 125_000_000
    static let diskDelay = Span.milliseconds(1)
    /// A change that takes longer does not end.
    private static let patience = Span.milliseconds(60_000)

    private(set) var now = WorldTime.beginning
    private var planned = EventQueue<Event>()
    let disk = SimulatedDisk(
        segmentBytes: 1 << 20, retention: LogRetention(recordsMax: 10_000, bytesMax: 1 << 26))
    var publisher: PublishingCore<SimulatedLog>
    var publisherTurnAt: WorldTime?
    var isLogAtWork = false
    var nodes: [Node] = []
    var cost = Cost()
    /// When the publisher's link has sent all that it was given.
    private var linkFreeAt = WorldTime.beginning
    /// The newest version of the topology; `nil`: none was said since the last record.
    var newestTopology: UInt32?

    package init() {
        var plan = PublisherPlan(nodes: [])
        (plan.isOpen, plan.beginsSlots) = (true, true)
        let log = SimulatedLog(
            on: disk, freshID: LogID(7), windowRecords: 10_000,
            .init(granted: 3_000, longest: 3_000))
        publisher = PublishingCore(
            plan: plan, log: log, freshID: log.id, topologyVersion: 1,
            now: Self.instant(.beginning))
        _ = publisher.resumeLives(nil)
    }

    // MARK: Changes

    /// So many nodes start within a second.
    ///
    /// - Returns: `nil` if the slots do not come to rest.
    package func start(_ count: Int) -> Cost? {
        let first = nodes.count
        for index in 0..<count {
            add()
            plan(.nodeTurns(first + index), after: .microseconds(1_000_000 / count * index))
        }
        return settle()
    }

    /// The newest node dies.
    ///
    /// - Returns: `nil` if the slots do not come to rest.
    package func loseOne() -> Cost? {
        nodes[nodes.count - 1].isDead = true
        return settle()
    }

    /// Runs until every slot has an owner that answers and every node knows it.
    private func settle() -> Cost? {
        cost = Cost()
        let (began, before) = (now, publisher.slots.table)
        let headBefore = publisher.log.head.position.sequence.rawValue
        var (isServed, judged) = (false, LogPosition.none)
        while let next = planned.takeFirst(), next.time < began + Self.patience {
            now = next.time
            happen(next.event)
            if publisher.log.head.position != judged {
                judged = publisher.log.head.position
                isServed = areSlotsServed
                newestTopology = nil
                cost.served = began.span(to: now).duration
            }
            guard isServed, areTopologiesKnown else { continue }
            cost.settled = began.span(to: now).duration
            cost.records = Int(publisher.log.head.position.sequence.rawValue - headBefore)
            cost.movedSlots = moved(since: before)
            return cost
        }
        return nil
    }

    /// Whether every living node has slots, no other has, and all are answered for.
    private var areSlotsServed: Bool {
        guard let table = publisher.slots.table, table.unserved == nil else { return false }
        let owners = Set(table.owners.compactMap { $0?.member }).compactMap {
            table.members[$0]?.node
        }
        return Set(owners) == Set(living.map(\.control.identity.node))
    }

    private var areTopologiesKnown: Bool {
        newestTopology != nil && living.allSatisfy { $0.topologyVersion == newestTopology }
    }

    private var living: some Sequence<Node> { nodes.lazy.filter { !$0.isDead } }

    private func moved(since before: SlotTable?) -> Int {
        guard let before, let after = publisher.slots.table else { return 0 }
        return zip(before.owners, after.owners).count { $0 != $1 }
    }

    // MARK: Time

    func plan(_ event: Event, after span: Span) { plan(event, at: now + span) }

    func plan(_ event: Event, at time: WorldTime) { planned.add(event, at: time) }

    /// When a frame that the publisher sends now arrives.
    func arrival(ofBytes count: Int) -> WorldTime {
        cost.sentBytes += count
        let span = Span(nanoseconds: UInt64(count) * 1_000_000_000 / Self.bytesPerSecond)
        linkFreeAt = max(now, linkFreeAt) + span
        return linkFreeAt + Self.delay
    }

    /// All clocks are right.
    static func instant(_ time: WorldTime) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000 + time.nanoseconds)
    }

    static func time(_ instant: Instant) -> WorldTime {
        WorldTime(nanoseconds: max(instant.nanoseconds, 1_000_000_000_000) - 1_000_000_000_000)
    }

    private func happen(_ event: Event) {
        switch event {
        case .publisherTurns:
            guard publisherTurnAt == now else { return }
            publisherTurnAt = nil
            turnPublisher { _, _, _ in }
        case .logWorks: workOnLog()
        case .nodeTurns(let number):
            if nodes[number].turnAt ?? now == now { turn(number) { _, _, _ in } }
        case .toPublisher(let number, let frame):
            turnPublisher { core, now, actions in
                frame.withUnsafeBytes {
                    core.received(
                        $0, from: RequestSender(PublisherChannels.peer(UInt32(number))), now: now,
                        into: &actions)
                }
            }
        case .toNode(let number, let frame, let isLive):
            turn(number) { core, now, actions in
                frame.withUnsafeBytes {
                    guard isLive else {
                        return core.receivedControl(frame: $0, now: now, into: &actions)
                    }
                    core.receivedLive(frame: $0, now: now, into: &actions)
                }
            }
        }
    }
}
