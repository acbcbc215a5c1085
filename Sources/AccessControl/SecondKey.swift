package import ZeroMQ

/// Another key of a process that listens, and where it listens with it: for the time in which
/// those who know one of two keys move to the other.
///
///      who knows the old key ══▶ second endpoint ─┐
///                                                 ├─ one socket, one list, one handler
///      who knows the new key ══▶ first endpoint ──┘
///
/// It is for being spoken to alone: what the process shows when it connects, and what it tells
/// others to connect to, is the first.
package struct SecondKey: Sendable {
    package var keys: CurveKeyPair
    /// In the order of the first ones, each on the socket of its pendant: of a node one for each
    /// shard, of a publisher control and live.
    package var endpoints: [Endpoint]

    package init(keys: CurveKeyPair, endpoints: [Endpoint]) {
        self.keys = keys
        self.endpoints = endpoints
    }
}
