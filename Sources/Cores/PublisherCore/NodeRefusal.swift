import CacheModel
import CacheWire

/// Why requests of nodes are refused, in sentences for their operators.
enum NodeRefusal {
    static let stranger = "this run has not introduced itself to the publisher; say HELLO first"

    static let wildEpoch =
        "no publisher has been that far; what the node knows of the log is damaged, start it empty"

    static let withoutSlots =
        "the keys of this cluster belong to slots, which this release of the node does not know; "
        + "start a newer one"

    /// To a run that ends for it.
    static let replaced =
        "another process of this node has taken the place of this one; if two run under its id, "
        + "stop one of them or give it another id"

    static func unlisted(_ node: NodeID) -> String {
        "node \(node) is not in the publisher's configuration; add it under nodes and reload, or "
            + "start the node with one of the ids listed there, or with --join if it "
            + "says membership: open"
    }

    static func shards(of hello: Hello, _ node: PublisherPlan.Node) -> String {
        "node \(hello.node) has \(hello.endpoints.count) shards, the publisher says "
            + "\(node.shards); start it with that many"
    }

    static func waits(_ node: NodeID, for left: Duration) -> String {
        "another process of node \(node) has a lease for \(left.wholeMilliseconds) ms more; this "
            + "one waits for its end. If both stay, stop one of them or give it another id"
    }
}
