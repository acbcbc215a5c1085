package import ZeroMQ

/// Another key of a listening process, and its endpoints with that key: for the time in which
/// clients move from one of two keys to the other.
///
///      clients with the old key ══▶ second endpoint ─┐
///                                                    ├─ one socket, one list, one handler
///      clients with the new key ══▶ first endpoint ──┘
///
/// The second key serves incoming connections alone: the process shows the first key when it
/// connects, and advertises endpoints with the first key.
package struct SecondKey: Sendable {
    package var keys: CurveKeyPair
    /// In the order of the first endpoints, each on the socket of its counterpart: of a node one
    /// for each shard, of a publisher control and live.
    package var endpoints: [Endpoint]

    package init(keys: CurveKeyPair, endpoints: [Endpoint]) {
        self.keys = keys
        self.endpoints = endpoints
    }
}
