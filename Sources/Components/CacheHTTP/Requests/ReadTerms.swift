import ByteCoding
package import CacheModel

/// How fresh an answer has to be.
package struct ReadTerms: Hashable, Sendable {
    package enum Staleness: Hashable, Sendable {
        /// As the namespace says.
        case namespaceDefault
        case any
        /// What is past its lifetime by no more.
        case upTo(Duration)
    }

    package var atLeast: LogPosition?
    /// Of which cluster that is; none where it was not said.
    package var atLeastCluster = ClusterID.none
    /// `no-cache`: the node asks the publisher where it stands, and shows nothing older.
    package var isFresh = false
    package var isOnlyIfCached = false
    package var maxAge: Duration?
    package var staleness = Staleness.namespaceDefault
    /// Whether a miss is to give the right to fill the key.
    package var wantsRight = false

    package init() {}

    static let atLeastField = "Martlet-At-Least"

    /// Those that a request's fields set.
    package init(_ fields: FieldList) throws(Problem) {
        if let text = fields[Self.atLeastField] {
            guard let position = ClusterPosition(text) else {
                throw Problem(
                    .malformedField,
                    "\(Self.atLeastField) is a position as Martlet-Position tells it: "
                        + "EPOCH:SEQUENCE, such as 3:1042")
            }
            atLeast = position.position
            atLeastCluster = position.cluster
        }
        wantsRight = try LoadRight.isWanted(by: fields)
        guard let directives = try fields.cacheDirectives() else { return }
        isFresh = directives.forbidsReuse
        isOnlyIfCached = directives.isOnlyIfCached
        maxAge = directives.maxAge
        switch directives.maxStale {
        case nil: break
        case .any: staleness = .any
        case .upTo(let duration): staleness = .upTo(duration)
        }
        if isFresh && staleness != .namespaceDefault {
            throw Problem(
                .malformedField, "Cache-Control: no-cache and max-stale exclude each other")
        }
    }
}
