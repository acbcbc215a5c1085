package import CacheModel

/// Comparisons of nodes' values with those of origins. They do not count for the nines.
extension StandingCheck {
    /// The next comparison; `nil` if none is due. Pass each answer to ``compared(_:by:_:at:)``.
    package mutating func takeDueComparison(at now: Instant) -> OriginLook? {
        origins.takeDue(at: now, seen: &seen)
    }

    /// A node has answered a comparison, or failed to.
    ///
    /// - Parameter node: the one that was asked.
    package mutating func compared(
        _ look: OriginLook, by node: NodeID, _ answer: OriginAnswer, at now: Instant
    ) {
        origins.answered(look, by: node, answer, at: now)
    }
}
