import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// The nodes: their runs, the leases of those, and the stored table of runs.
struct NodeRegistry {
    var grants: GrantTable
    var runs: StoredRuns
    /// Nodes that did not say in their newest HELLO that they know owners by slots.
    private var lackingSlots: Set<NodeID> = []
    /// Whether an earlier publisher's table names every run that it granted a lease.
    private var areRunsBelieved = false
    /// Runs that sent HELLO before the log had its position.
    private var welcomes: [(run: NodeRun, requester: Requester)] = []

    init(_ plan: PublisherPlan, log: some InvalidationLog, now: Instant) {
        grants = GrantTable(
            nodes: plan.nodes.map(\.id), lease: plan.lease,
            inherited: log.inheritedLease.map { .known($0) } ?? .unknown(atMost: plan.leaseMax),
            start: now, guards: plan.guards)
        runs = StoredRuns(isDurable: log.outlivesItsProcess)
    }

    // MARK: HELLO

    /// The node's newest HELLO says whether it knows owners by slots.
    mutating func note(_ node: NodeID, knowsSlots: Bool) {
        if knowsSlots { lackingSlots.remove(node) } else { lackingSlots.insert(node) }
    }

    /// The nodes of the configuration that do not know owners by slots, sorted.
    var withoutSlots: [NodeID] { lackingSlots.filter(grants.isRegistered).sorted() }

    /// The run is welcomed once the log has its position. It repeats its HELLO until it is
    /// answered: one entry is enough.
    mutating func delayWelcome(
        of run: NodeRun, _ requester: Requester, output: inout PublisherOutput
    ) {
        welcomes.removeAll { $0.requester.peer == requester.peer }
        if welcomes.count < PublisherLimits.welcomesMax {
            welcomes.append((run, requester))
        } else {
            output.refuse(requester, .busy, "too many introductions wait for an answer")
        }
    }

    mutating func takeWelcomes() -> [(run: NodeRun, requester: Requester)] {
        defer { welcomes = [] }
        return welcomes
    }

    // MARK: The stored table

    /// Continues with the table that an earlier publisher of this log stored.
    ///
    /// - Parameter bytes: `nil` if there is none.
    mutating func resume(
        _ bytes: [UInt8]?, _ plan: PublisherPlan, log: some InvalidationLog
    ) -> StoredRuns.Resumption {
        let known = runs.resume(
            bytes, for: log, nodes: plan.nodes.map(\.id) + Self.unnamed(plan),
            isRegistered: grants.isRegistered)
        for (node, heir) in known.heirs { grants.inherit(heir, of: node) }
        areRunsBelieved = known.isCurrent
        return known
    }

    /// The log names these members. Those that the configuration does not list have joined, if they
    /// may. Where the table of runs, or that of slots, is not believed, they may hold a lease of an
    /// earlier publisher, too.
    mutating func adopt(_ table: SlotTable, _ plan: inout PublisherPlan, isBelieved: Bool) {
        if !areRunsBelieved || !isBelieved {
            let unlisted = table.nodes.map(\.id).filter { !grants.isRegistered($0) }
            for (node, heir) in runs.distrust(unlisted, isRegistered: grants.isRegistered) {
                grants.inherit(heir, of: node)
            }
        }
        plan.keep(table.nodes)
        grants.register(plan.nodes.map(\.id))
    }

    /// The log may have been set back, and the table stored beside it as well.
    mutating func distrustStored(_ plan: PublisherPlan) {
        let heirs = runs.distrust(
            grants.nodes + Self.unnamed(plan), isRegistered: grants.isRegistered)
        for (node, heir) in heirs { grants.inherit(heir, of: node) }
    }

    /// A run asks for a lease.
    ///
    /// - Returns: whether the stored table allows it.
    mutating func insert(_ run: NodeRun) -> Bool {
        runs.insert(run, isRegistered: grants.isRegistered)
    }

    /// Where nodes join that no configuration lists, a node may hold a lease of an earlier
    /// publisher of which neither the configuration nor a believed table knows.
    private static func unnamed(_ plan: PublisherPlan) -> [NodeID] {
        plan.isOpen ? [.unnamed] : []
    }

    /// A node that is not taken in, and would join, follows a log: its run may hold a lease of an
    /// earlier publisher.
    mutating func noteUnlisted(_ hello: Hello, now: Instant) {
        guard hello.joinWeight.isJoining, hello.log != .none, hello.node != .unnamed else {
            return
        }
        grants.noteHeir(NodeRun(node: hello.node, incarnation: hello.incarnation), now: now)
    }

    // MARK: Removing runs

    /// FORGET. docs/decisions/0027 gives the reasons.
    ///
    /// - Returns: whether no run of the node is known any more.
    mutating func forget(
        _ node: NodeID, for requester: Requester, now: Instant, output: inout PublisherOutput
    ) -> Bool {
        do throws(GrantTable.Tie) {
            let dropped = try grants.drop(node, now: now)
            output.statistics.count(dropped.runCount, .forgotten)
            forgotten(node, (dropped.newest, dropped.runCount), for: requester, output: &output)
            return true
        } catch {
            switch error {
            case .notRegistered where runs.table.nodes[node] != nil:
                forgotten(node, (.none, 0), for: requester, output: &output)
                return true
            case .notRegistered:
                let sentence =
                    "node \(node) is not in the publisher's configuration, and no run of it "
                    + "is known"
                output.refuse(requester, .notRegistered, sentence)
            case .leased(let end, let isHeard):
                let left = end.elapsed(since: now)
                output.refuse(
                    requester, .leased, whyKept(node, left, isHeard: isHeard, now: now),
                    retryAfter: UInt32(clamping: left.wholeMilliseconds))
            }
            return false
        }
    }

    private mutating func forgotten(
        _ node: NodeID, _ dropped: (newest: Incarnation, runCount: Int), for requester: Requester,
        output: inout PublisherOutput
    ) {
        runs.remove(node)
        output.audit(.forgot(node, runCount: dropped.runCount), by: requester.party)
        let done = Done(
            incarnation: dropped.newest, runCount: UInt16(clamping: dropped.runCount))
        output.reply(to: requester) { done.encode(requestID: requester.requestID, into: &$0) }
    }

    private func whyKept(
        _ node: NodeID, _ left: Duration, isHeard: Bool, now: Instant
    ) -> String {
        let end = "\(left.wholeMilliseconds) ms"
        guard isHeard else {
            return "node \(node) was not heard of since the publisher's start, and may hold a "
                + "grant of the one before it for \(end) more; ask again then"
        }
        let state = grants.state(of: node, at: now).map(\.description) ?? "unknown"
        return "node \(node) is \(state) and its grant lasts \(end) more: it may answer fresh. "
            + "Drain it first (martlet drain \(node)), or, if it is dead, ask again then"
    }

    /// Removes runs that ended without BYE after a time.
    mutating func dropSilent(now: Instant, output: inout PublisherOutput) {
        let count = grants.dropSilent(for: PublisherLimits.silenceMax, now: now)
        output.statistics.count(count, .silent)
    }

    /// BYE.
    mutating func remove(_ run: NodeRun, now: Instant, output: inout PublisherOutput) {
        grants.saidGoodbye(run, now: now)
        output.statistics.count(1, .bye)
    }

    // MARK: STATUS

    /// The line of a node. One that was not heard from has no incarnation.
    func line(for node: NodeID, now: Instant) -> StatusReport.NodeLine {
        let entry = grants.newestEntry(of: node)
        let left = entry?.grantEnds.map { $0.elapsed(since: now) } ?? .zero
        return StatusReport.NodeLine(
            node: node, state: grants.state(of: node, at: now) ?? .starting,
            applied: entry?.reported.position ?? .none,
            incarnation: entry?.run.incarnation ?? .none,
            grantLeftMilliseconds: UInt32(clamping: left.wholeMilliseconds))
    }
}

extension GrantTable {
    /// The nodes of which a run has a lease that this publisher granted.
    ///
    /// - Complexity: O(runs).
    func leasedNodes(at now: Instant) -> Set<NodeID> {
        Set(grantedRuns(at: now).keys.filter { lastGrant(of: $0) != nil })
    }

    /// The last state that a node reported, unless its grant is over; `nil` if it was not heard
    /// from.
    func state(of node: NodeID, at now: Instant) -> NodeState? {
        guard let entry = newestEntry(of: node) else { return nil }
        return entry.state.hasLease && !hasGrant(entry.run, at: now) ? .suspect : entry.state
    }
}

extension GrantTable.Refusal {
    /// The error code and the sentence for the refused node.
    var explanation: (code: ErrorCode, sentence: String) {
        switch self {
        case .notRegistered:
            (.notRegistered, "the node is not in the publisher's configuration")
        case .incarnationTaken:
            (.outOfRange, "another node has this incarnation; draw a new one at random")
        case .tooManyRuns:
            (.busy, "too many runs of this node still hold a lease; wait until they are over")
        }
    }
}

extension PublisherStatistics {
    /// Counts removed runs.
    fileprivate mutating func count(_ runCount: Int, _ cause: RunRemovalCause) {
        if runCount > 0 { runsRemoved[cause, default: 0] += UInt64(runCount) }
    }
}
