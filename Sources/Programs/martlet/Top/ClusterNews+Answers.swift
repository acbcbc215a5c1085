import CacheModel
import CommandSurface
import ConsoleCore
import MartletClient

/// What the client was answered, in the words of the screen.
extension ClusterNews {
    static func told(_ topology: ClusterTopology) -> ClusterNews {
        .topology(
            TopologyObservation(
                kind: topology.kind.rawValue, version: topology.version,
                publisher: EndpointKeys.shortened(topology.controlEndpoint),
                nodes: topology.nodes.map { node in
                    TopologyObservation.Node(
                        node.id, endpoints: node.endpoints.map(EndpointKeys.shortened))
                }))
    }

    static func told(byPublisher snapshot: StatusSnapshot) -> ClusterNews {
        var lines: [NodeID: PublisherObservation.Line] = [:]
        for line in snapshot.nodes {
            lines[line.node] = PublisherObservation.Line(
                state: line.state, applied: line.incarnation == .none ? nil : line.applied,
                grantLeft: line.grantLeft)
        }
        return .publisher(
            PublisherObservation(
                state: snapshot.state, head: snapshot.position, figures: snapshot.figures,
                lines: lines))
    }

    static func told(by node: NodeID, _ shards: [StatusSnapshot]) -> ClusterNews {
        let status = NodeStatus(node, shards: shards)
        guard let state = status.state else {
            let sentence = "it told of no shard"
            return .noNode(node, Absence(isDenial: false, sentence: sentence))
        }
        return .node(
            node,
            NodeObservation(
                shards: shards.map { shard in
                    NodeObservation.Shard(
                        state: shard.state, position: shard.position, figures: shard.figures)
                }, state: state,
                reason: NodeReason(status)?.sentence ?? status.troubles.first))
    }
}

extension Absence {
    init(_ error: CacheError) {
        self.init(
            isDenial: error.code == .unauthorised,
            sentence: EndpointKeys.shortened(error.sentence(endpoints: [])))
    }
}

extension StreamEvent {
    init(_ event: InvalidationStream.Event) {
        switch event {
        case .record(let record): self = .record(record)
        case .heartbeat(let head): self = .heartbeat(head: head)
        case .lost(let start, let end): self = .lost(after: start, continuingAfter: end)
        }
    }
}
