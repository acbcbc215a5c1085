package import CacheModel

/// A question to put to one node: is what it shows of a key what the key's origin has?
package struct OriginLook: Hashable, Sendable {
    package let key: WatchedKey
    /// `nil`: the one whose turn it is, of those that answer for the key.
    package let node: NodeID?
    /// Counts up, for whoever has to choose a node.
    package let turn: Int
    /// Whether the node has answered that they differ, a while ago.
    package var isSecond: Bool = false

    package init(key: WatchedKey, node: NodeID?, turn: Int, isSecond: Bool = false) {
        self.key = key
        self.node = node
        self.turn = turn
        self.isSecond = isSecond
    }
}
