package import CacheModel

/// What nodes show, held against what origins have: beside the nines, which it does not touch.
extension StandingCheck {
    /// What is to be asked now; `nil` if nothing is due. Each has to be handed back with
    /// ``compared(_:by:_:at:)``.
    package mutating func takeDueComparison(at now: Instant) -> OriginLook? {
        origins.takeDue(at: now, seen: &seen)
    }

    /// A node has answered, or did not.
    ///
    /// - Parameter node: the one that was asked.
    package mutating func compared(
        _ look: OriginLook, by node: NodeID, _ answer: OriginAnswer, at now: Instant
    ) {
        origins.answered(look, by: node, answer, at: now)
    }
}
