package import CacheModel

/// Tracks which runs have applied which position, for every client that waits for a receipt.
///
/// A wait begins once its position is the published head, with the runs that hold a grant *then*. A
/// run leaves the wait when it has applied the position (or one of a later epoch), or when its
/// grant is over; latencies count from the beginning, or from an append before it. A wait ends when
/// its goal or its deadline is reached, and reports the state at that moment.
///
/// - Complexity: O(waits) for each run that moves; waits are bounded by
///   ``InvalidationLimits/waitsMax``.
package struct ReceiptTracker {
    /// The goal of a wait.
    package enum Goal: Hashable, Sendable {
        case nothing
        /// So many nodes have applied the position.
        case nodes(Int)
        /// No run that held a grant still owes anything.
        case everyHolder
    }

    /// The caller's id of a wait.
    package struct Token: Hashable, Sendable {
        package let rawValue: UInt64

        package init(_ rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    /// A wait to begin.
    package struct Order: Hashable, Sendable {
        package let token: Token
        package let position: LogPosition
        package let goal: Goal
        package let deadline: Instant
        /// When the position was appended, if that was before the wait begins and is known.
        package var appendedAt: Instant?

        package init(token: Token, position: LogPosition, goal: Goal, deadline: Instant) {
            self.token = token
            self.position = position
            self.goal = goal
            self.deadline = deadline
        }
    }

    fileprivate enum Debt: Hashable {
        /// Holds a grant and has not applied the position yet.
        case owed
        case applied(after: Duration)
        /// Cannot call anything fresh any more.
        case over(after: Duration)
    }

    fileprivate struct Wait {
        var order: Order
        /// The beginning of its latencies.
        var began: Instant
        var debts: [NodeRun: Debt] = [:]
        /// Registered nodes, so that one without any run is listed too.
        let nodes: [NodeID]
        var owedCount = 0
    }

    fileprivate struct Lines {
        var applied: [ReceiptOutcome.Line] = []
        var expired: [ReceiptOutcome.Line] = []
        var pending: [NodeID] = []
    }

    private var waits: [Wait] = []

    package init() {}

    package var count: Int { waits.count }

    /// The next deadline of a wait.
    package var nextDeadline: Instant? { waits.map(\.order.deadline).min() }

    /// Begins waits, all of them for the same runs.
    ///
    /// - Parameters:
    ///   - grants: the runs that hold a grant now, after the positions became the head, and their
    ///     applied positions. A run that has applied a position already owes nothing for it.
    /// - Complexity: O(runs), and O(1) for each wait for a position that no run has applied.
    package mutating func begin(_ orders: [Order], grants: GrantTable, now: Instant) {
        guard let first = orders.first else { return }
        precondition(
            count + orders.count <= InvalidationLimits.waitsMax,
            "the caller refuses what has no room")
        var fresh = Wait(order: first, began: now, nodes: grants.nodes)
        for run in grants.holders(at: now) { fresh.set(.owed, for: run) }
        let known =
            grants.nodes.compactMap { grants.newestEntry(of: $0) }
            + fresh.debts.keys.compactMap { grants.entry(of: $0) }
        let furthest = known.compactMap(\.applied).max() ?? .none
        for order in orders {
            var wait = fresh
            wait.order = order
            wait.began = order.appendedAt ?? now
            if order.position <= furthest {
                for entry in known { wait.note(entry) }
            }
            waits.append(wait)
        }
    }

    /// A run has applied everything up to `position`.
    package mutating func applied(_ run: NodeRun, upTo position: LogPosition, now: Instant) {
        for index in waits.indices where waits[index].order.position <= position {
            waits[index].settle(run, .applied(after: now.elapsed(since: waits[index].began)))
        }
    }

    /// A run's grant is over, or it sent BYE.
    package mutating func ended(_ run: NodeRun, now: Instant) {
        for index in waits.indices where waits[index].debts[run] == .owed {
            waits[index].settle(run, .over(after: now.elapsed(since: waits[index].began)))
        }
    }

    /// A node that had not been heard of introduces itself: this run takes over the debts of its
    /// unheard-of run, if it holds a grant.
    package mutating func heard(_ run: NodeRun, holdsGrant: Bool, now: Instant) {
        let unheard = NodeRun.unheard(run.node)
        for index in waits.indices where waits[index].debts[unheard] == .owed {
            waits[index].drop(unheard)
            let elapsed = now.elapsed(since: waits[index].began)
            waits[index].set(holdsGrant ? .owed : .over(after: elapsed), for: run)
        }
    }

    /// Ends the waits that have reached their goal or their deadline, oldest first.
    package mutating func takeFinished(at now: Instant) -> [ReceiptOutcome] {
        var finished: [ReceiptOutcome] = []
        waits.removeAll { wait in
            guard wait.isReached || wait.order.deadline <= now else { return false }
            finished.append(wait.outcome)
            return true
        }
        return finished
    }
}

extension ReceiptTracker.Wait {
    /// Applies the known state of a run when the wait begins.
    fileprivate mutating func note(_ entry: GrantTable.Entry) {
        guard let applied = entry.applied, applied >= order.position else { return }
        let heardAt = order.appendedAt == nil ? nil : entry.appliedTimes.firstHeard(order.position)
        settle(entry.run, .applied(after: heardAt?.elapsed(since: began) ?? .zero))
    }

    /// A run that has applied the position once stays so; nothing changes that.
    fileprivate mutating func settle(_ run: NodeRun, _ debt: ReceiptTracker.Debt) {
        if case .applied = debts[run] { return }
        set(debt, for: run)
    }

    fileprivate mutating func set(_ debt: ReceiptTracker.Debt, for run: NodeRun) {
        drop(run)
        debts[run] = debt
        if debt == .owed { owedCount += 1 }
    }

    fileprivate mutating func drop(_ run: NodeRun) {
        if debts.removeValue(forKey: run) == .owed { owedCount -= 1 }
    }

    fileprivate var isReached: Bool {
        switch order.goal {
        case .nothing: true
        case .everyHolder: owedCount == 0
        case .nodes(let needed): lines.applied.count >= needed
        }
    }

    fileprivate var outcome: ReceiptOutcome {
        let lines = lines
        return ReceiptOutcome(
            order: order, isComplete: isReached, applied: lines.applied, expired: lines.expired,
            pending: lines.pending)
    }

    /// One line for each node: pending if one of its runs owes, else applied if one has applied the
    /// position, else expired. A registered node without a grant can serve nothing fresh: it is
    /// expired.
    private var lines: ReceiptTracker.Lines {
        var lines = ReceiptTracker.Lines()
        let runs = Dictionary(grouping: debts) { $0.key.node }
        var strangers = runs
        for node in nodes { strangers[node] = nil }
        for node in nodes + strangers.keys.sorted() {
            let debts = (runs[node] ?? []).map(\.value)
            if debts.contains(.owed) {
                lines.pending.append(node)
            } else if let elapsed = debts.compactMap(\.appliedAfter).max() {
                lines.applied.append(.init(node: node, elapsed: elapsed))
            } else {
                let elapsed = debts.compactMap(\.overAfter).max() ?? .zero
                lines.expired.append(.init(node: node, elapsed: elapsed))
            }
        }
        return lines
    }
}

extension ReceiptTracker.Debt {
    fileprivate var appliedAfter: Duration? {
        if case .applied(let elapsed) = self { elapsed } else { nil }
    }

    fileprivate var overAfter: Duration? {
        if case .over(let elapsed) = self { elapsed } else { nil }
    }
}
