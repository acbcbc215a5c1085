package import CacheModel

/// One load of one key that is under way.
package struct KeyLoad: Equatable, Sendable {
    /// By which it is known outside; never used twice by one shard.
    package internal(set) var number: UInt64 = 0
    package var key: LoadKey
    /// What was applied before the origin was asked.
    package var position: LogPosition
    /// Of the load lease that it holds.
    package var nonce: UInt64
    package var begunAt: Instant
    /// What it asks about; `nil`: the value itself is wanted.
    package var validator: Validator?
    /// Of the value that was held when it began: any other was stored since. `nil`: none was.
    package var heldIdentity: UInt64?
    /// What it asks for, if it asks a peer.
    package var freshness = LoadFreshness.any
    /// Whether it may ask a peer; if not, it asks the origin.
    package var mayAskPeer = false
    /// As the most urgent wants it who has asked for it so far.
    package internal(set) var urgency: LoadUrgency
    /// Whose share of the table it takes; `nil`: nobody's.
    package var asker: UInt32?
    /// Who waits for it; nobody for one behind an answer.
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
