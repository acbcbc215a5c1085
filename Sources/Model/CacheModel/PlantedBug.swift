/// A deliberate bug of a node, to test the tools that check answers.
///
/// Checked builds (`CACHE_CHECKED`) read one from the environment of a node; in other builds this
/// has no storage, cannot be created from a text, and every query is the constant `false`.
///
///     MARTLET_PLANTED_BUG=ignore-invalidations:1000       every node
///     MARTLET_PLANTED_BUG=ignore-invalidations:1000:n2    node n2 alone
package struct PlantedBug: Hashable, Sendable {
    #if CACHE_CHECKED
        /// Records that are skipped as if they were applied: those with a sequence number that
        /// is a multiple of this; 0 for none.
        private var ignoredMultiple: UInt64 = 0
    #endif

    package static let none = PlantedBug()

    private init() {}

    /// Parses the bug of a node.
    ///
    /// - Returns: ``none`` if it is another node's; `nil` if the text is not a bug, or in a build
    ///   that cannot plant one.
    package init?(_ text: String, of node: NodeID) {
        #if CACHE_CHECKED
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard (2...3).contains(parts.count), parts[0] == "ignore-invalidations",
                let multiple = UInt64(parts[1]), multiple > 0
            else { return nil }
            if parts.count == 3, parts[2] != node.name { return }
            ignoredMultiple = multiple
        #else
            return nil
        #endif
    }

    /// Whether a node with this bug skips the record at that position.
    package func ignores(_ position: LogPosition) -> Bool {
        #if CACHE_CHECKED
            ignoredMultiple > 0 && position.sequence.rawValue.isMultiple(of: ignoredMultiple)
        #else
            false
        #endif
    }
}
