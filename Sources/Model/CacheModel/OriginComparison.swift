/// The value that one node would serve as fresh for a key, compared with the value at the key's
/// origin.
///
/// A difference does not prove an error: there may have been no invalidation, the origin may answer
/// from a replica that lags, or a change may be on its way. Repeat the comparison before you rely
/// on it.
public struct OriginComparison: Hashable, Sendable {
    /// The result. The numbers are on the wire.
    public enum Verdict: UInt8, CaseIterable, Hashable, Sendable {
        /// Equal bytes; or the node knows that there is no value, and the origin has none.
        case same = 0
        case differs = 1
        /// The node has no fresh value to serve. The origin was not asked.
        case notShown = 2
        /// The node's value changed between the request to the origin and its answer.
        case changed = 3
        /// Queued writes of the key have not been sent to the origin. It was not asked.
        case pending = 4
        /// The origin returned nothing.
        case failed = 5

        /// Whether two values were compared.
        public var isComparison: Bool { self == .same || self == .differs }
    }

    public var verdict: Verdict
    public var state: NodeState
    /// The position that the shard had applied when it answered.
    public var applied: LogPosition
    /// Why the origin returned nothing; set only if the verdict is `failed`.
    public var failure: LoadFailure?
    /// From the request to the origin's answer, in milliseconds; zero if it was not asked.
    public var took = Duration.zero
    /// The node's value; `nil`: it knows that there is none, or nothing was compared.
    public var shown: ValueImprint?
    /// The origin's value; `nil`: no value, or nothing was compared.
    public var origin: ValueImprint?
    /// The node's value was read at or after this position; `nil` if in an earlier log, or nothing
    /// was compared.
    public var filled: LogPosition?
    /// Age of the node's value since it was stored or confirmed, in milliseconds.
    public var age = Duration.zero
    /// The node's value was stored without a token.
    public var isUnfenced = false

    public init(_ verdict: Verdict, _ state: NodeState, applied: LogPosition) {
        self.verdict = verdict
        self.state = state
        self.applied = applied
    }
}
