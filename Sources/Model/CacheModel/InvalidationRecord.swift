/// One record of the invalidation log: these scopes, up to this position, are unusable.
///
/// A record is applied atomically within a shard: no answer built at one position reflects half of
/// it.
public struct InvalidationRecord: Hashable, Sendable {
    /// Maximum scopes in one record.
    public static let scopesMax = 1_000
    /// Maximum bytes of one encoded record.
    public static let bytesMax = 65_536

    /// Whether covered entries may ever be served again.
    public enum Strength: UInt8, Hashable, Sendable, CaseIterable {
        /// Never served again, not even when the origin is down.
        case hard = 0
        /// Stale: served only if the namespace or the caller allows it.
        case soft = 1
    }

    public var position: LogPosition
    /// The digest of the record before this one, or of the empty log.
    public var previousDigest: LogDigest
    public var operation: OperationID
    public var strength: Strength
    public var scopes: ScopeList
    /// Whether this release cannot read its form. Its coverage is unknown then: its scopes are
    /// *everything*, hard, and it has no operation id.
    public let isOfNewerForm: Bool
    /// What it says of slots. Such a record has no scopes: it covers no key.
    package let slots: SlotRecord?

    /// Whether it states the members of the cluster or the owners of slots, and no change by an
    /// application.
    package var isForNodes: Bool {
        slots != nil || scopes.count == 1 && scopes.first?.membership != nil
    }

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
        slots = nil
    }

    /// A change of the owners of slots.
    package init(position: LogPosition, previousDigest: LogDigest, slots: SlotRecord) {
        self.position = position
        self.previousDigest = previousDigest
        operation = .none
        strength = .hard
        scopes = []
        isOfNewerForm = false
        self.slots = slots
    }

    public init(
        position: LogPosition, previousDigest: LogDigest, operation: OperationID,
        strength: Strength, scopes: [Scope]
    ) {
        self.init(
            position: position, previousDigest: previousDigest, operation: operation,
            strength: strength, scopes: ScopeList(scopes))
    }

    /// A record of which only the position is known.
    public init(ofNewerFormAt position: LogPosition, previousDigest: LogDigest) {
        self.position = position
        self.previousDigest = previousDigest
        operation = .none
        strength = .hard
        scopes = [Scope(.everything)]
        isOfNewerForm = true
        slots = nil
    }
}
