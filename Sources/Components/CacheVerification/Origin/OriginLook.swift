package import CacheModel

/// A question to one node: does the value that it shows for a key equal that of the key's origin?
package struct OriginLook: Hashable, Sendable {
    package let key: WatchedKey
    /// `nil`: the next node in turn, of those that answer for the key.
    package let node: NodeID?
    /// Counts up, for a caller that has to choose a node.
    package let turn: Int
    /// Whether the node has reported a difference a while ago.
    package var isSecond: Bool = false

    package init(key: WatchedKey, node: NodeID?, turn: Int, isSecond: Bool = false) {
        self.key = key
        self.node = node
        self.turn = turn
        self.isSecond = isSecond
    }
}
