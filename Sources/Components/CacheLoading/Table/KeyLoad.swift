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
    package var freshness = LoadFreshness.any
    /// Whether it may ask a peer; if not, it asks the origin.
    package var mayAskPeer = false
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

/// A key with its namespace, by the shard's number for it.
package struct LoadKey: Hashable, Sendable {
    package var namespace: UInt16
    package var bytes: [UInt8]

    package init(namespace: UInt16, bytes: [UInt8]) {
        self.namespace = namespace
        self.bytes = bytes
    }
}

/// The position and nonce recorded before the origin is asked.
package struct LoadToken: Equatable, Sendable {
    package var position: LogPosition
    /// Of the load lease.
    package var nonce: UInt64

    package init(position: LogPosition, nonce: UInt64) {
        self.position = position
        self.nonce = nonce
    }
}

/// One operation of a request that waits for a load.
package struct LoadReader: Equatable, Sendable {
    /// The number of the request in the table of waiting requests.
    package var request: UInt64
    package var operation: Int
    /// The position applied when it asked: a later invalidation came after the request.
    package var askedAt: LogPosition
    package var freshness = LoadFreshness.any
    /// Another node asks: its load must not wait for a peer.
    package var isForPeer = false
    /// Whether a reader waits for the value, or none.
    package var urgency: LoadUrgency

    package init(
        request: UInt64, operation: Int, askedAt: LogPosition, urgency: LoadUrgency = .awaited
    ) {
        self.request = request
        self.operation = operation
        self.askedAt = askedAt
        self.urgency = urgency
    }
}

/// The required freshness of a load's result. An origin's answer is new enough for every reader
/// that asked after the load began; a peer returns the value it holds, unless the request demands
/// more.
package enum LoadFreshness: Equatable, Sendable {
    /// Any value that is fresh where it is held.
    case any
    case noOlder(than: Duration)
    /// Loaded for this request.
    case new

    package static func forAll(_ all: some Sequence<LoadFreshness>) -> LoadFreshness {
        all.reduce(.any) { $0.suffices(for: $1) ? $0 : $1 }
    }

    /// Whether a result with this freshness satisfies a request for `other`.
    package func suffices(for other: LoadFreshness) -> Bool {
        switch (self, other) {
        case (_, .any), (.new, _): true
        case (.noOlder(let own), .noOlder(let needed)): own <= needed
        case (.any, _), (.noOlder, .new): false
        }
    }
}
