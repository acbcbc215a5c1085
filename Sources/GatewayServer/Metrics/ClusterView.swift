import CacheModel
import MartletClient

/// The processes that a gateway reached when it looked last.
struct ClusterView: Sendable {
    /// By the publisher, and what it would say about nodes.
    var isPublisherReached = false
    var nodes: [NodeID: Bool] = [:]
    /// Why no node is known; `nil` if the topology was told.
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
