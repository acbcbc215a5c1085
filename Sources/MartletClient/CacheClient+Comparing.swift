public import CacheModel
import CacheWire

extension CacheClient {
    /// Has a node hold what it would show of a key as fresh against what the key's origin has.
    ///
    /// Nothing is counted, moved or stored by asking. Where something is shown, the origin is sent
    /// one request, as unhurried as for a prefetch, for the whole value.
    ///
    /// A difference is no broken promise: nobody may have invalidated, the origin may answer from
    /// a replica that lags, or a change may be on its way. Ask again before you believe it.
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
