package import CacheModel

/// The log positions that a session has seen and caused, so that its reads never go back.
///
/// Invariant: both positions only grow, except for claims that turn out to be false. An answer at
/// or past ``written`` shows every effect of the session. An answer at or past ``seen`` is no older
/// than any answer before it.
///
/// Most positions are claims of one node, and reads demand them of every other node. A node that
/// claims a position the log never reaches would make all others wait for it. The publisher knows
/// better, since no node has applied more than it has sent. So when a demand is not met, the client
/// asks the publisher for its head. An earlier claim beyond that head was false. From then on,
/// claims of that node count only up to what the publisher confirms.
package struct SessionPosition: Sendable {
    /// A position, and the node that claims it; `nil` for the publisher or an unknown node.
    private struct Claim {
        var position = LogPosition.none
        var node: NodeID?

        mutating func take(_ position: LogPosition, of node: NodeID?) {
            if position > self.position { (self.position, self.node) = (position, node) }
        }
    }

    private struct Claims {
        var seen = Claim()
        var written = Claim()
    }

    private var claims = Claims()
    /// The highest position that the publisher reported.
    private var confirmed = LogPosition.none
    /// Claims from before the publisher was asked, and claims since; `nil` unless it is asked now.
    private var question: (before: Claims, since: Claims)?
    private var doubted: Set<NodeID> = []

    package init() {}

    package var seen: LogPosition { claims.seen.position }
    /// The highest position that one of the session's own invalidations or stores was given.
    package var written: LogPosition { claims.written.position }

    /// A node claims that its answer reflects `position`.
    ///
    /// - Returns: whether to ask the publisher, because the node's claim is not enough.
    @discardableResult
    package mutating func saw(_ position: LogPosition, by node: NodeID?) -> Bool {
        let believed = believable(position, of: node)
        claims.seen.take(believed, of: node)
        question?.since.seen.take(believed, of: node)
        return believed < position
    }

    /// A node claims that an effect of this session is at or before `position` in the log.
    package mutating func wrote(_ position: LogPosition, by node: NodeID?) {
        saw(position, by: node)
        let believed = believable(position, of: node)
        claims.written.take(believed, of: node)
        question?.since.written.take(believed, of: node)
    }

    /// The publisher reports that an effect of this session is at `position` in the log.
    package mutating func wasOrdered(at position: LogPosition) {
        confirmed = max(confirmed, position)
        wrote(position, by: nil)
    }

    /// The position that a read must reach: the caller's own demand or the session's, whichever is
    /// later.
    ///
    /// - Returns: `nil` if nothing is demanded.
    package func demand(
        _ asked: LogPosition?, readsYourWrites: Bool, readsMonotonically: Bool
    ) -> LogPosition? {
        var demand = asked ?? .none
        if readsYourWrites { demand = max(demand, written) }
        if readsMonotonically { demand = max(demand, seen) }
        return demand == .none ? nil : demand
    }

    // MARK: What the publisher says

    /// Whether a demand rests on a node's claim alone.
    package var isUnconfirmed: Bool { seen > confirmed }

    package mutating func asks() { question = (claims, Claims()) }

    /// The publisher does not answer: the claims stay as they are.
    package mutating func wasNotAnswered() { question = nil }

    /// The publisher answers the question.
    ///
    /// - Returns: the nodes that are newly known to have made a false claim.
    @discardableResult
    package mutating func wasAnswered(head: LogPosition) -> [NodeID] {
        guard let question else { return [] }
        let (before, since) = (question.before, question.since)
        self.question = nil
        confirmed = max(confirmed, head)
        let lies = [before.seen, before.written].filter { $0.position > confirmed }
        let liars = Set(lies.compactMap(\.node)).subtracting(doubted).sorted()
        if doubted.count + liars.count > ClientLimits.connectionsMax { doubted = [] }
        doubted.formUnion(liars)
        claims.seen = corrected(claims.seen, before.seen, since.seen)
        claims.written = corrected(claims.written, before.written, since.written)
        return liars
    }

    /// The claim after the publisher's answer. A false claim falls back to the confirmed head,
    /// which is at or past every true position of that time. Claims since the question stay, also
    /// those of a doubted node: the next question checks them, and until then the node's new claims
    /// add nothing.
    private func corrected(_ now: Claim, _ before: Claim, _ since: Claim) -> Claim {
        guard before.position > confirmed else { return now }
        var left = Claim(position: confirmed)
        left.take(since.position, of: since.node)
        return left
    }

    private func believable(_ position: LogPosition, of node: NodeID?) -> LogPosition {
        guard !doubted.isEmpty, let node, doubted.contains(node) else { return position }
        return min(position, confirmed)
    }
}
