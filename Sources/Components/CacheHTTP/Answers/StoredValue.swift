package import CacheModel

/// What became of a value that was stored.
package struct StoredValue: Hashable, Sendable {
    package var position: LogPosition
    /// Of which cluster that is; none where it is not known.
    package var cluster = ClusterID.none
    package var isFenced: Bool
    /// Whether its origin is told later.
    package var isQueued: Bool
    package var nodes: [NodeID]

    package init(_ position: LogPosition, isFenced: Bool, isQueued: Bool, nodes: [NodeID]) {
        self.position = position
        self.isFenced = isFenced
        self.isQueued = isQueued
        self.nodes = nodes
    }

    static let nodesField = "Martlet-Stored-On"

    var status: Int { isQueued ? 202 : 204 }

    package var answer: Answer {
        var answer = Answer(status)
        answer.fields.append("Martlet-Position", "\(ClusterPosition(position, of: cluster))")
        answer.fields.append(StoreOrder.fencedField, isFenced ? "?1" : "?0")
        let names = nodes.map(\.name).joined(separator: ", ")
        if !names.isEmpty { answer.fields.append(Self.nodesField, names) }
        return answer
    }
}
