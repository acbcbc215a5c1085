/// Which worlds the seeds are drawn for: a seed is another world in each kind.
package struct WorldKind: Hashable, Sendable {
    /// 1 for one that is alone; more: two or up to so many lead one log in turn.
    package var publishers: Int
    /// Whether slots that the log assigns are in force, in sharded clusters with a lasting log.
    package var hasSlots: Bool

    package init(publishers: Int = 1, hasSlots: Bool = false) {
        (self.publishers, self.hasSlots) = (publishers, hasSlots)
    }
}
