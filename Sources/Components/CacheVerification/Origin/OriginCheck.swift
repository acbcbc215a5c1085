package import CacheModel

/// Compares the values of nodes with those of origins: which node to ask when, and what the answers
/// mean.
///
///     shown at a look ─▶ candidates ─┐              same, changed, failed … ─▶ figures
///     seen keys ─────────────────────┼─▶ takeDue ─▶ (a node is asked) ─▶ answered
///     doubts, 5 s later ─────────────┘                                      │ differs
///            ▲──────────────────────────────────────────────────────────────┘
///
/// One difference does not count: a load and a change may cross. It counts if at a second look the
/// same node shows the same bytes, filled at the same position, and the origin still has the same
/// other bytes.
///
/// ### Bounds
/// ``StandingLimits``: candidates, of which the oldest are dropped; doubts; and differences that
/// are reported with both sides.
package struct OriginCheck: Sendable {
    private struct Candidate: Sendable {
        let key: WatchedKey
        let node: NodeID
    }

    /// A first look that found a difference.
    private struct Doubt: Sendable {
        let look: OriginLook
        let comparison: OriginComparison
        let seenAt: Instant
    }

    package let plan: OriginPlan
    package private(set) var figures: [NodeID: OriginFigures] = [:]
    /// The first differences; at most one for each key of a node.
    package private(set) var differences: [OriginDifference] = []
    private var candidates: [Candidate] = []
    /// The oldest first.
    private var doubts: [Doubt] = []
    /// Doubts with a second look under way.
    private var doubtsLookedAt: [OriginLook: Doubt] = [:]
    private var allowance: Double
    private var refilledAt: Instant?
    private var turn = 0

    package init(_ plan: OriginPlan) {
        self.plan = plan
        allowance = Double(plan.perSecond)
    }

    /// A look has found the key shown as fresh by a node.
    mutating func found(_ key: WatchedKey, on node: NodeID) {
        guard plan.isOn, plan.namespaces.contains(key.namespace) else { return }
        if candidates.count == StandingLimits.candidatesMax { candidates.removeFirst() }
        candidates.append(Candidate(key: key, node: node))
    }

    /// The question to ask now. Doubts come first. Then, by turns: keys that a look has just found
    /// shown, newest first, and keys that were seen at any time. Pass each answer to
    /// ``answered(_:by:_:at:)``.
    ///
    /// - Returns: `nil` if nothing is due, or the rate is used up.
    mutating func takeDue(at now: Instant, seen: inout SeenKeys) -> OriginLook? {
        refill(at: now)
        guard plan.isOn, allowance >= 1, let look = nextLook(at: now, &seen) else { return nil }
        allowance -= 1
        return look
    }

    private mutating func refill(at now: Instant) {
        let elapsed = refilledAt.map { now.elapsed(since: $0) } ?? .zero
        refilledAt = max(now, refilledAt ?? now)
        let rate = Double(plan.perSecond)
        allowance = min(rate, allowance + rate * Double(elapsed.wholeNanoseconds) / 1e9)
    }

    private mutating func nextLook(at now: Instant, _ seen: inout SeenKeys) -> OriginLook? {
        turn += 1
        if let doubt = doubts.first,
            now.elapsed(since: doubt.seenAt) >= StandingLimits.secondComparisonAfter
        {
            doubts.removeFirst()
            let look = OriginLook(
                key: doubt.look.key, node: doubt.look.node, turn: turn, isSecond: true)
            doubtsLookedAt[look] = doubt
            return look
        }
        if turn.isMultiple(of: 2), let look = lookAtSeen(&seen) { return look }
        while let found = candidates.popLast() {
            guard !isDoubted(found.key, on: found.node) else { continue }
            return OriginLook(key: found.key, node: found.node, turn: turn)
        }
        return lookAtSeen(&seen)
    }

    /// A doubted key already awaits its second look, so the rate is spent on other keys.
    private func lookAtSeen(_ seen: inout SeenKeys) -> OriginLook? {
        seen.next { plan.namespaces.contains($0.namespace) && !isDoubted($0, on: nil) }
            .map { OriginLook(key: $0, node: nil, turn: turn) }
    }

    /// - Parameter node: `nil` for any.
    private func isDoubted(_ key: WatchedKey, on node: NodeID?) -> Bool {
        doubts.contains { $0.look.key == key && (node == nil || $0.look.node == node) }
    }

    /// A node has answered a look, or failed to.
    mutating func answered(
        _ look: OriginLook, by node: NodeID, _ answer: OriginAnswer, at now: Instant
    ) {
        let doubt = doubtsLookedAt.removeValue(forKey: look)
        switch answer {
        case .unanswered: figures[node, default: OriginFigures()].unanswered += 1
        case .unsupported: figures[node, default: OriginFigures()].unsupported += 1
        case .compared(let found) where found.verdict == .differs:
            if let doubt {
                settle(doubt, by: found, node, at: now)
            } else if doubts.count < StandingLimits.doubtsMax, !isDoubted(look.key, on: node) {
                let look = OriginLook(key: look.key, node: node, turn: look.turn)
                doubts.append(Doubt(look: look, comparison: found, seenAt: now))
            }
        case .compared(let found):
            figures[node, default: OriginFigures()].count(found.verdict)
        }
    }

    private mutating func settle(
        _ doubt: Doubt, by found: OriginComparison, _ node: NodeID, at now: Instant
    ) {
        let first = doubt.comparison
        guard Self.areSame(first.shown, found.shown), first.filled == found.filled else {
            figures[node, default: OriginFigures()].changed += 1
            return
        }
        guard Self.areSame(first.origin, found.origin) else {
            figures[node, default: OriginFigures()].unsteady += 1
            return
        }
        figures[node, default: OriginFigures()].differs += 1
        let isKnown = differences.contains { $0.key == doubt.look.key && $0.node == node }
        guard !isKnown, differences.count < StandingLimits.violationsKept else { return }
        differences.append(
            OriginDifference(
                key: doubt.look.key, node: node, comparison: found,
                span: now.elapsed(since: doubt.seenAt)))
    }

    private static func areSame(_ one: ValueImprint?, _ other: ValueImprint?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.isSameValue(as: other)
    }
}
