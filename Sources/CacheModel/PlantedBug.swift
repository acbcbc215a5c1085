/// A bug that a node is given on purpose, so that whoever checks answers can be checked.
///
/// Checked builds (`CACHE_CHECKED`) read one from the environment of a node; elsewhere this has no
/// storage, no text makes one, and asking it is the constant `false`.
///
///     MARTLET_PLANTED_BUG=ignore-invalidations:1000       every node
///     MARTLET_PLANTED_BUG=ignore-invalidations:1000:n2    node n2 alone
package struct PlantedBug: Hashable, Sendable {
    #if CACHE_CHECKED
        /// Which records are stepped over as if they were obeyed: each whose sequence number is a
        /// multiple; 0 for none.
        private var ignoredMultiple: UInt64 = 0
    #endif

    package static let none = PlantedBug()

    private init() {}

    /// The bug that a text names, for a node.
    ///
    /// - Returns: ``none`` if it is another node's; `nil` if the text names none, or in a build
    ///   that can plant none.
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

    /// Whether a node with this bug steps over the record there.
    package func ignores(_ position: LogPosition) -> Bool {
        #if CACHE_CHECKED
            ignoredMultiple > 0 && position.sequence.rawValue.isMultiple(of: ignoredMultiple)
        #else
            false
        #endif
    }
}
