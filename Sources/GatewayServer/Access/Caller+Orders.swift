import CacheAccess
import CacheHTTP
import CacheModel

/// Which right each order takes: the same as the cluster wants of a key.
extension Caller {
    /// As far as the head of a request tells it; the others are asked once their body is read.
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

    /// The holder of the right to fill a key keeps others from loading it, which takes the right to
    /// write.
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

    /// A condition tells what is there, which takes the right to read it.
    func checkConditions(
        _ conditions: Conditions, _ key: CacheKey, _ namespace: Namespace
    ) throws(Problem) {
        if conditions.isThere { try check(.read, Scope(.key(key, in: namespace))) }
    }

    /// Where a namespace writes behind, its origin removes the key as well. Which ones do the
    /// gateway does not know, so that the right to invalidate is not enough: there is PURGE for it.
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
