package import CacheModel

/// One load of one key that is under way.
package struct KeyLoad: Equatable, Sendable {
    /// Identifies it outside; never used twice by one shard.
    package internal(set) var number: UInt64 = 0
    package var key: LoadKey
    /// The position applied before the origin was asked.
    package var position: LogPosition
    /// Of its load lease.
    package var nonce: UInt64
    package var begunAt: Instant
    /// The validator to revalidate; `nil`: the value itself is requested.
    package var validator: Validator?
    /// Identity of the value held when it began: a different one was stored since. `nil`: none was
    /// held.
    package var heldIdentity: UInt64?
    /// The required freshness, if it asks a peer.
    package var freshness = LoadFreshness.any
    /// Whether it may ask a peer; if not, it asks the origin.
    package var mayAskPeer = false
    /// The highest urgency requested so far.
    package internal(set) var urgency: LoadUrgency
    /// The asker that it counts for in the shares of the table; `nil`: none.
    package var asker: UInt32?
    /// The readers that wait for it; none for a background load.
    package internal(set) var readers: [LoadReader]

    package init(
        _ key: LoadKey, _ token: LoadToken, urgency: LoadUrgency, readers: [LoadReader],
        now: Instant
    ) {
        self.key = key
        position = token.position
        nonce = token.nonce
        begunAt = now
        self.urgency = urgency
        self.readers = readers
    }

    mutating func join(_ reader: LoadReader) {
        readers.append(reader)
        urgency = min(urgency, reader.urgency)
    }
}
