/// The nodes that share the keys of a sharded cluster, as in a record of the log.
///
/// docs/decisions/0084 gives the reasons.
package struct Membership: Hashable, Sendable {
    /// One node, with the properties that determine its keys.
    package struct Member: Hashable, Sendable {
        package let node: NodeID
        /// 0 to 64.
        package let shards: UInt16
        package let weightThousandths: UInt32

        package init(node: NodeID, shards: UInt16, weightThousandths: UInt32) {
            self.node = node
            self.shards = shards
            self.weightThousandths = weightThousandths
        }
    }

    /// In the configuration's order, which breaks ties in routing; `nil` if the list is too long
    /// for a record: any key may have another owner then.
    package let members: [Member]?
    /// Whether every shard that owned keys before knows the new owners, or has no lease.
    package let isSettled: Bool

    package init(_ members: [Member]?, isSettled: Bool) {
        self.members = members
        self.isSettled = isSettled
    }
}
