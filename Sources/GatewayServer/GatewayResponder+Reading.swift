import CacheHTTP

/// Values on their way out: there is room for one before it is asked for.
extension GatewayResponder {
    /// Asks the cluster for a value, if it fits beside those that are held.
    ///
    /// - Throws: ``ProblemKind/busy``, and whatever the cluster says.
    func answer(_ order: ReadOrder) async throws -> HeldAnswer {
        let estimate = sizes.estimate(order.namespace, order.key)
        try budget.take(estimate)
        do {
            var held = HeldAnswer(try await desk.read(order))
            let bytes = held.answer.body.count
            switch held.answer.status {
            case 200: sizes.note(order.namespace, order.key, bytes: bytes)
            // Of a key that is not there nothing is to be expected.
            case 404, 504: sizes.note(order.namespace, order.key, bytes: 0)
            default: break
            }
            let counted = BodyReader.counted(bytes)
            try budget.settle(estimate, as: counted)
            held.heldBytes = counted
            return held
        } catch {
            budget.giveBack(estimate)
            throw error
        }
    }
}
