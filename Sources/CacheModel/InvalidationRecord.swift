/// One statement of the invalidation log: these scopes, up to this position, are unusable.
///
/// A record is applied atomically within a shard: no answer built at one position shows half of it.
public struct InvalidationRecord: Hashable, Sendable {
    /// Most scopes in one record.
    public static let scopesMax = 1_000
    /// Most bytes of one encoded record.
    public static let bytesMax = 65_536

    /// Whether what is covered may ever be served again.
    public enum Strength: UInt8, Hashable, Sendable, CaseIterable {
        /// Never served again, not even when the origin is down.
        case hard = 0
        /// Stale: served only where the namespace or the caller allows it.
        case soft = 1
    }

    public var position: LogPosition
    /// The digest of the record before this one, or of the empty log.
    public var previousDigest: LogDigest
    public var operation: OperationID
    public var strength: Strength
    public var scopes: ScopeList
    /// Whether its form is one that this release cannot read. What it covers is not known then:
    /// its scopes say *everything*, hard, and it names no operation.
    public let isOfNewerForm: Bool

    /// Whether it says who the members of the cluster are, and nothing that an application changed.
    package var tellsMembers: Bool { scopes.count == 1 && scopes.first?.membership != nil }

    public init(
        position: LogPosition, previousDigest: LogDigest, operation: OperationID,
        strength: Strength, scopes: ScopeList
    ) {
        self.position = position
        self.previousDigest = previousDigest
        self.operation = operation
        self.strength = strength
        self.scopes = scopes
        isOfNewerForm = false
    }

    public init(
        position: LogPosition, previousDigest: LogDigest, operation: OperationID,
        strength: Strength, scopes: [Scope]
    ) {
        self.init(
            position: position, previousDigest: previousDigest, operation: operation,
            strength: strength, scopes: ScopeList(scopes))
    }

    /// A record that only its place is known of.
    public init(ofNewerFormAt position: LogPosition, previousDigest: LogDigest) {
        self.position = position
        self.previousDigest = previousDigest
        operation = .none
        strength = .hard
        scopes = [Scope(.everything)]
        isOfNewerForm = true
    }
}
