/// Identifies one write for the shard that asked for it.
package struct WriteTicket: Hashable, Sendable {
    package var shard: UInt16
    /// Never used twice by its shard.
    package var number: UInt64

    package init(shard: UInt16, number: UInt64) {
        self.shard = shard
        self.number = number
    }
}
