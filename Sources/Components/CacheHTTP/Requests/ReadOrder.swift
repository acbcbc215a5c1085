package import ByteCoding
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

/// One key that is to be removed.
package struct RemovalOrder: Hashable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey
    package var conditions: Conditions
}

/// How fresh an answer has to be.
package struct ReadTerms: Hashable, Sendable {
    package var atLeast: LogPosition?
    /// Of which cluster that is; none where it was not said.
    package var atLeastCluster = ClusterID.none
    /// `no-cache`: the node asks the publisher where it stands, and shows nothing older.
    package var isFresh = false
    package var isOnlyIfCached = false
    package var maxAge: Duration?
    /// By how much a value may be past its lifetime; `nil`: as the namespace says.
    package var staleness: CacheDirectives.Staleness?
    /// Whether a miss is to give the right to fill the key.
    package var wantsRight = false

    package init() {}

    static let atLeastField = "Martlet-At-Least"

    /// Those that a request's fields set.
    package init(_ fields: FieldList) throws(Problem) {
        if let text = fields[Self.atLeastField] {
            let position = try ClusterPosition(text).or(
                .malformedField,
                "\(Self.atLeastField) is a position as Martlet-Position tells it: "
                    + "EPOCH:SEQUENCE, such as 3:1042")
            atLeast = position.position
            atLeastCluster = position.cluster
        }
        wantsRight = try LoadRight.isWanted(by: fields)
        guard let directives = try fields.cacheDirectives() else { return }
        isFresh = directives.forbidsReuse
        isOnlyIfCached = directives.isOnlyIfCached
        maxAge = directives.maxAge
        staleness = directives.maxStale
        if isFresh && staleness != nil {
            throw Problem(
                .malformedField, "Cache-Control: no-cache and max-stale exclude each other")
        }
    }
}
