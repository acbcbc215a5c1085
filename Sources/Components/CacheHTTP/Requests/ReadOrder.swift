package import CacheModel

/// One key that is asked for.
package struct ReadOrder: Hashable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey
    package var terms: ReadTerms
    package var conditions: Conditions
    /// Of a GET alone; `nil`: all of the value.
    package var range: RangeOrder?

    package init(
        _ namespace: Namespace, _ key: CacheKey, _ fields: FieldList
    ) throws(Problem) {
        self.namespace = namespace
        self.key = key
        terms = try ReadTerms(fields)
        conditions = try Conditions(fields)
        // What names a value does not load another: 412 carries no right.
        if conditions.ifMatch != nil { terms.wantsRight = false }
    }

    /// The same, for a part of the value.
    package func with(_ range: RangeOrder?) -> ReadOrder {
        var order = self
        order.range = range
        return order
    }
}
