/// Identifies one load: the shard that requested it, and the shard's own number for it.
package struct LoadTicket: Hashable, Sendable {
    package var shard: UInt16
    /// Never used twice by its shard.
    package var number: UInt64

    package init(shard: UInt16, number: UInt64) {
        self.shard = shard
        self.number = number
    }
}
