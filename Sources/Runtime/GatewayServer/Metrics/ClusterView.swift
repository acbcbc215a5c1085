import CacheModel
import MartletClient

/// The processes that a gateway reached at the last check.
struct ClusterView: Sendable {
    /// Whether the publisher answered, also with a refusal because of missing rights.
    var isPublisherReached = false
    var nodes: [NodeID: Bool] = [:]
    /// Why no node is known; `nil` if the topology was obtained.
    var failure: String?

    init(_ told: ClusterSnapshot) {
        if case .success = told.publisher { isPublisherReached = true }
        if case .failure(let error) = told.publisher, error.code == .unauthorised {
            isPublisherReached = true
        }
        nodes = told.nodes.mapValues { GatewayService.isReached($0) }
    }

    init(_ error: CacheError) { failure = error.message }

    var reachedNodes: Int { nodes.values.count { $0 } }
    /// Whether every node was reached.
    var isComplete: Bool { failure == nil && reachedNodes == nodes.count }
}
