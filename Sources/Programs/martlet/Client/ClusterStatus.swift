import CacheModel
import MartletClient

/// The publisher and every node of a cluster at about one moment.
struct ClusterStatus {
    var topology: ClusterTopology
    var publisher: Result<StatusSnapshot, CacheError>
    /// In the topology's order.
    var nodes: [NodeStatus]
    /// The invalidations that take their time and are not over.
    var pacings: [PacedInvalidation] = []

    /// The newest position of the log; `nil` if the publisher did not answer.
    var head: LogPosition? { publisherSnapshot?.position }

    var publisherSnapshot: StatusSnapshot? {
        if case .success(let snapshot) = publisher { snapshot } else { nil }
    }

    /// Why the publisher tells nothing.
    var publisherFailure: CacheError? {
        if case .failure(let error) = publisher { error } else { nil }
    }

    /// Asks the publisher and all nodes at once.
    ///
    /// - Parameter isRefreshed: whether to ask for the topology anew; without an answer the known
    ///   one is used.
    /// - Throws: only if the topology is unknown. A process that does not answer is shown as such.
    static func gathered(
        from client: CacheClient, isRefreshed: Bool = false
    ) async throws(CacheError) -> ClusterStatus {
        let topology = try await topology(client, isRefreshed: isRefreshed)
        var status = ClusterStatus(await client.cluster.snapshot(of: topology))
        status.pacings = await Self.pacings(client, status.publisherSnapshot)
        return status
    }

    /// Joins what the publisher says of a node with what the node says itself.
    init(_ told: ClusterSnapshot) {
        topology = told.topology
        publisher = told.publisher
        var lines: [NodeID: StatusSnapshot.NodeLine] = [:]
        if case .success(let snapshot) = publisher {
            for line in snapshot.nodes { lines[line.node] = line }
        }
        nodes = topology.nodes.compactMap { node in
            switch told.nodes[node.id] {
            case .success(let shards):
                NodeStatus(node.id, shards: shards, line: lines[node.id])
            case .failure(let error):
                NodeStatus(node.id, failure: error, line: lines[node.id])
            case nil: nil
            }
        }
    }

    private static func topology(
        _ client: CacheClient, isRefreshed: Bool
    ) async throws(CacheError) -> ClusterTopology {
        let known = try await client.cluster.topology()
        guard isRefreshed else { return known }
        do throws(CacheError) {
            return try await client.cluster.topology(isRefreshed: true)
        } catch {
            return known
        }
    }

    /// Asks only where the publisher says that there are any. What cannot be told is left out.
    private static func pacings(
        _ client: CacheClient, _ publisher: StatusSnapshot?
    ) async -> [PacedInvalidation] {
        guard let count = publisher?.figures["pacings"], count > 0 else { return [] }
        do throws(CacheError) {
            return try await client.cluster.pacedInvalidations().filter { $0.state == .running }
        } catch {
            return []
        }
    }
}
