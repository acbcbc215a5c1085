import CacheAccess
import CacheHTTP
import CacheModel

/// The client that sent a request, and its rights.
enum Caller: Sendable {
    /// Any client of a gateway without tokens: it may do everything.
    case anybody
    /// The holder of a token.
    case holder(AccessEntry)

    /// - Throws: ``ProblemKind/forbidden``. Decided before any lookup, so that the answer does not
    ///   reveal whether an entry exists.
    func check(_ wanted: AccessRights, _ scope: Scope) throws(Problem) {
        guard case .holder(let entry) = self, !entry.may(wanted, with: scope) else { return }
        throw Self.forbidden(entry, wanted)
    }

    /// Whether the client has these rights on everything.
    func checkEverywhere(_ wanted: AccessRights) throws(Problem) {
        guard case .holder(let entry) = self, entry.rights.isDisjoint(with: wanted) else { return }
        throw Self.forbidden(entry, wanted)
    }

    private static func forbidden(_ entry: AccessEntry, _ wanted: AccessRights) -> Problem {
        let roles = "\(wanted)".replacing(",", with: " or ")
        return Problem(
            .forbidden,
            "the token of \(entry.name) may not do this with all that is asked for: it takes the "
                + "role \(roles), for these keys, and for tags and namespaces the whole namespace")
    }
}

/// The right that each order requires: the same that the cluster requires of a client's key pair.
extension Caller {
    /// Checks what is known from the head of a request; other orders are checked once their body is
    /// read.
    func check(_ order: GatewayOrder) throws(Problem) {
        switch order {
        case .read(let order): try check(order)
        case .store(let order):
            try check(order)
            try checkConditions(order.conditions, order.key, order.namespace)
        case .remove(let order):
            try check(order)
            try checkConditions(order.conditions, order.key, order.namespace)
        case .purge(let order): try check(order)
        case .explain(let namespace, let key): try check(.read, Scope(.key(key, in: namespace)))
        case .cluster: try checkEverywhere(.metrics)
        case .invalidate, .batch, .stream, .document: break
        }
    }

    func check(_ order: ReadOrder) throws(Problem) {
        try check(order.key, order.namespace, order.terms)
    }

    /// The holder of the right to fill a key prevents others from loading it, which requires the
    /// right to write.
    private func check(
        _ key: CacheKey, _ namespace: Namespace, _ terms: ReadTerms
    ) throws(Problem) {
        let scope = Scope(.key(key, in: namespace))
        try check(.read, scope)
        if terms.wantsRight { try check(.write, scope) }
    }

    func check(_ batch: StoreBatch) throws(Problem) {
        for item in batch.items { try check(item.order) }
    }

    func check(_ order: StoreOrder) throws(Problem) {
        try check(.write, Scope(.key(order.key, in: order.namespace)))
    }

    /// A condition reveals whether an entry exists, which requires the right to read it.
    func checkConditions(
        _ conditions: Conditions, _ key: CacheKey, _ namespace: Namespace
    ) throws(Problem) {
        if conditions.isThere { try check(.read, Scope(.key(key, in: namespace))) }
    }

    /// If a namespace writes behind, its origin removes the key as well. The gateway does not know
    /// which namespaces do, so the right to invalidate is not enough: PURGE is for that.
    func check(_ order: RemovalOrder) throws(Problem) {
        try check(.write, Scope(.key(order.key, in: order.namespace)))
    }

    func check(_ order: BatchOrder) throws(Problem) {
        for key in order.keys { try check(key, order.namespace, order.terms) }
    }

    func check(_ order: InvalidationOrder) throws(Problem) {
        for scope in order.scopes {
            try check(order.isDryRun ? [.read, .invalidate] : .invalidate, scope)
        }
    }
}
