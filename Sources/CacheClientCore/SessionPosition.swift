package import CacheModel

/// What a session has seen of the log and what it has caused, so that it never goes back.
///
/// Law of order: both only grow, but for what is found to be a lie. An answer at or past
/// ``written`` shows every effect of the session; an answer at or past ``seen`` is no older than
/// any answer before it.
///
/// Most positions are a node's word, and what it says is demanded of every other node: a node that
/// names a place where the log will never be would have all others wait for it. The publisher knows
/// better, since no node has obeyed more than it has told. So once a demand is not met it is asked
/// where the head is. What was said before the question and lies beyond the answer was a lie;
/// whoever said it is believed from then on as far as the publisher confirms.
package struct SessionPosition: Sendable {
    /// A position, and the node whose word it is; `nil`: the publisher's, or nobody knows whose.
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

    private struct Question {
        /// What was said before it, and what was said since.
        let before: Claims
        var since = Claims()
    }

    private var claims = Claims()
    /// The highest position that the publisher told.
    private var confirmed = LogPosition.none
    /// While the publisher is being asked.
    private var question: Question?
    /// Nodes that said what is not so.
    private var doubted: Set<NodeID> = []

    package init() {}

    /// The highest position of any answer.
    package var seen: LogPosition { claims.seen.position }
    /// The highest position that one of the session's own invalidations or stores was given.
    package var written: LogPosition { claims.written.position }

    /// An answer reflected `position`, says its node.
    ///
    /// - Returns: whether the publisher should be asked, since the node's word is not enough.
    @discardableResult
    package mutating func saw(_ position: LogPosition, by node: NodeID?) -> Bool {
        let believed = believable(position, of: node)
        claims.seen.take(believed, of: node)
        question?.since.seen.take(believed, of: node)
        return believed < position
    }

    /// Something this session did stands at or before `position` in the log, says a node.
    package mutating func wrote(_ position: LogPosition, by node: NodeID?) {
        saw(position, by: node)
        let believed = believable(position, of: node)
        claims.written.take(believed, of: node)
        question?.since.written.take(believed, of: node)
    }

    /// Something this session did stands at `position` in the log, says the publisher.
    package mutating func wasOrdered(at position: LogPosition) {
        confirmed = max(confirmed, position)
        wrote(position, by: nil)
    }

    /// What a read must reach: the caller's own demand and the session's, whichever is later.
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

    /// Whether anything is demanded on a node's word alone.
    package var isUnconfirmed: Bool { seen > confirmed }

    /// The publisher is asked now where the head is.
    package mutating func asks() { question = Question(before: claims) }

    /// The publisher does not answer: nothing is known better.
    package mutating func wasNotAnswered() { question = nil }

    /// The publisher answers the question.
    ///
    /// - Returns: who said what is not so, if it was not known of it.
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

    /// What is left of a claim: at least the publisher's head, which lies behind all that was true
    /// when it was asked, and what was said since, also by a liar: the next question tells, and by
    /// then it adds nothing.
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
