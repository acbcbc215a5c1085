package import CacheModel

/// What a request asks for: HTTP on one side, the cache's own words on the other.
///
///     head ─▶ Resource: what is named  ─┐
///             its methods               ├─▶ GatewayOrder ─▶ the gateway asks the cluster
///             conditions, directives,  ─┘       │                     │
///             tags, lifetime                    ▼                     ▼
///                                            Problem ─▶ Answer ◀─ FoundValue, or nothing
///
/// The gateway's tasks call it, any number at once; it is plain values and functions, reads no
/// clock, waits for nothing and holds nothing. Input is untrusted: each wrong one becomes a
/// ``Problem`` with a remedy, none traps, and what is kept of one is bounded by what was sent.
///
/// It does not know the client's identity and rights: the caller checks them between the order and
/// the cluster.
package enum GatewayOrder: Hashable, Sendable {
    case read(ReadOrder)
    case store(StoreOrder)
    case remove(RemovalOrder)
    case purge(InvalidationOrder)
    /// What, stands in the body.
    case invalidate
    /// Which keys, stands in the body.
    case batch(Namespace, ReadTerms)
    case explain(Namespace, CacheKey)
    case stream(StreamOrder)
    case cluster
    /// - Parameter isOlder: in the words of OpenAPI 3.1.
    case document(isOlder: Bool)

    /// Reads the head of a request.
    ///
    /// - Throws: what is wrong with it, as it is to be answered.
    package init(_ head: RequestHead) throws(Problem) {
        let resource = try Resource(target: head.target)
        let methods = resource.shape.methods
        guard let method = GatewayMethod(rawValue: head.method), methods.contains(method) else {
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            var problem = Problem(
                .methodNotAllowed, "\(resource.shape.rawValue) has \(allowed)")
            problem.fields.append("Allow", allowed)
            throw problem
        }
        switch resource {
        case .entry(let namespace, let key):
            self = try Self.entry(method, namespace, key, head.fields)
        case .namespace(let namespace):
            self = .purge(try InvalidationOrder(purging: nil, in: namespace, head.fields))
        case .batch(let namespace): self = .batch(namespace, try ReadTerms(head.fields))
        case .invalidations: self = .invalidate
        case .explanation(let namespace, let key): self = .explain(namespace, key)
        case .stream: self = .stream(try StreamOrder(head))
        case .cluster: self = .cluster
        case .document: self = .document(isOlder: false)
        case .olderDocument: self = .document(isOlder: true)
        }
    }

    private static func entry(
        _ method: GatewayMethod, _ namespace: Namespace, _ key: CacheKey, _ fields: FieldList
    ) throws(Problem) -> GatewayOrder {
        switch method {
        case .put: .store(try StoreOrder(namespace, key, fields))
        case .delete:
            .remove(
                RemovalOrder(
                    namespace: namespace, key: key, conditions: try Conditions(fields)))
        case .purge: .purge(try InvalidationOrder(purging: key, in: namespace, fields))
        case .get: .read(try ReadOrder(namespace, key, fields).with(RangeOrder(fields)))
        case .head, .post: .read(try ReadOrder(namespace, key, fields))
        }
    }
}
