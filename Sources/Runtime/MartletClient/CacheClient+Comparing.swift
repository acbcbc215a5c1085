public import CacheModel
import CacheWire

extension CacheClient {
    /// Asks a node to compare the value that it would show as fresh with the value of the key's
    /// origin.
    ///
    /// The comparison counts, moves and stores nothing. If the node shows a value, it sends the
    /// origin one request for the whole value, with the low priority of a prefetch.
    ///
    /// A difference does not prove a fault. Perhaps no client invalidated the key, the origin
    /// answers from a lagging replica, or a change is still on its way. Repeat the comparison
    /// before you rely on it.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/refused`` if the namespace has no origin, or the node is of a release
    ///   that does not compare, ``CacheError/Code/busy``, ``CacheError/Code/disconnected`` or
    ///   ``CacheError/Code/timedOut``.
    public func compareWithOrigin(
        _ key: CacheKey, in namespace: Namespace = .default, on node: NodeID,
        timeout: Duration? = nil
    ) async throws(CacheError) -> OriginComparison {
        let frame = try await ask(
            .comparison, of: key, in: namespace, on: node, deadline: deadline(timeout))
        return try Self.decode(frame, .comparison) { message throws(WireRefusal) in
            try OriginComparison(decoding: message.body)
        }
    }
}
