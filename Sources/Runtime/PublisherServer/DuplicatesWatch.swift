import CacheModel

/// Says once of each node that two processes run under its id, and once that it is over.
struct DuplicatesWatch {
    private var told: Set<NodeID> = []

    /// - Parameter nodes: of which two processes run now.
    /// - Returns: those that are new, and those that are over; sorted.
    mutating func look(at nodes: [NodeID]) -> (begun: [NodeID], ended: [NodeID]) {
        guard !nodes.isEmpty || !told.isEmpty else { return ([], []) }
        let found = Set(nodes)
        defer { told = found }
        return (found.subtracting(told).sorted(), told.subtracting(found).sorted())
    }
}
