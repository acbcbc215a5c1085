/// What a node that cannot vouch for freshness does with a lookup: its lease is over, or it has
/// not yet caught up after a start.
package enum SuspectPolicy: String, CaseIterable, Sendable {
    /// Answers, and marks the answer stale.
    case serve
    /// Answers with a miss, as if nothing were there.
    case refuse
}
