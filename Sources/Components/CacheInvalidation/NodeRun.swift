package import CacheModel

/// One run of one node: what a lease is granted to.
package struct NodeRun: Hashable, Sendable {
    package let node: NodeID
    /// ``CacheModel/Incarnation/none`` stands for the run of a node that has not been heard of
    /// since the publisher's start and may still hold a lease from before.
    package let incarnation: Incarnation

    package init(node: NodeID, incarnation: Incarnation) {
        self.node = node
        self.incarnation = incarnation
    }

    /// The unheard-of run of `node`.
    package static func unheard(_ node: NodeID) -> NodeRun {
        NodeRun(node: node, incarnation: .none)
    }
}
