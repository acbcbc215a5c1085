package import CacheModel

/// Events about a cluster that a shell receives, in order.
package enum ClusterNews: Hashable, Sendable {
    case topology(TopologyObservation)
    /// No endpoint returns the topology.
    case trouble(String)
    case publisher(PublisherObservation)
    case noPublisher(Absence)
    case node(NodeID, NodeObservation)
    case noNode(NodeID, Absence)
    case stream(StreamEvent)
}

/// A node's report about itself.
package struct NodeObservation: Hashable, Sendable {
    package struct Shard: Hashable, Sendable {
        package var state: NodeState
        package var position: LogPosition
        package var figures: [String: UInt64]

        package init(state: NodeState, position: LogPosition, figures: [String: UInt64]) {
            self.state = state
            self.position = position
            self.figures = figures
        }
    }

    package var shards: [Shard]
    /// The state of that shard that may promise least.
    package var state: NodeState
    /// Why it is not live, as a sentence.
    package var reason: String?

    package init(shards: [Shard], state: NodeState, reason: String? = nil) {
        self.shards = shards
        self.state = state
        self.reason = reason
    }
}

/// The publisher's report about itself and each node.
package struct PublisherObservation: Hashable, Sendable {
    /// The publisher's view of one node.
    package struct Line: Hashable, Sendable {
        package var state: NodeState
        /// `nil`: the publisher knows no run of it.
        package var applied: LogPosition?
        /// `nil`: no invalidation waits for it.
        package var grantLeft: Duration?

        package init(state: NodeState, applied: LogPosition?, grantLeft: Duration?) {
            self.state = state
            self.applied = applied
            self.grantLeft = grantLeft
        }
    }

    package var state: NodeState
    package var head: LogPosition
    package var figures: [String: UInt64]
    package var lines: [NodeID: Line]

    package init(
        state: NodeState, head: LogPosition, figures: [String: UInt64],
        lines: [NodeID: Line] = [:]
    ) {
        self.state = state
        self.head = head
        self.figures = figures
        self.lines = lines
    }
}

/// The nodes of a cluster and their endpoints, as the cluster reported them.
package struct TopologyObservation: Hashable, Sendable {
    package struct Node: Hashable, Sendable {
        package var id: NodeID
        /// One for each shard; an empty string while unknown.
        package var endpoints: [String]

        package init(_ id: NodeID, endpoints: [String] = []) {
            self.id = id
            self.endpoints = endpoints
        }
    }

    /// `sharded`, `replicated`.
    package var kind: String
    package var version: UInt32
    package var publisher: String
    package var nodes: [Node]

    package init(kind: String, version: UInt32, publisher: String, nodes: [Node]) {
        self.kind = kind
        self.version = version
        self.publisher = publisher
        self.nodes = nodes
    }
}

/// An event of the invalidation stream.
package enum StreamEvent: Hashable, Sendable {
    case record(InvalidationRecord)
    case heartbeat(head: LogPosition)
    case lost(after: LogPosition, continuingAfter: LogPosition)
    /// The stream shows only what the key may read.
    case partial
    /// There is no stream, or it has ended.
    case failed(String)
}

/// Why the publisher or a node gives no answer.
package struct Absence: Hashable, Sendable {
    /// Whether it answered with a refusal: then it is up.
    package var isDenial: Bool
    package var sentence: String

    package init(isDenial: Bool, sentence: String) {
        self.isDenial = isDenial
        self.sentence = sentence
    }
}
