/// What one node would show of a key as fresh, beside what the key's origin has.
///
/// A difference is no broken promise: nobody may have invalidated, the origin may answer from a
/// replica that lags, or a change may be on its way. Ask again before you believe it.
public struct OriginComparison: Hashable, Sendable {
    /// What it came to. The numbers are on the wire.
    public enum Verdict: UInt8, CaseIterable, Hashable, Sendable {
        /// Equal bytes; or the node says that there is none, and so does the origin.
        case same = 0
        case differs = 1
        /// A read would find nothing fresh there. The origin was not asked.
        case notShown = 2
        /// What was shown when the origin was asked is not what is shown now.
        case changed = 3
        /// Writes of the key wait that the origin was not told of. It was not asked.
        case pending = 4
        /// The origin gave nothing.
        case failed = 5

        /// Whether two sides were held against each other.
        public var isComparison: Bool { self == .same || self == .differs }
    }

    public var verdict: Verdict
    public var state: NodeState
    /// What the shard had obeyed when it answered.
    public var applied: LogPosition
    /// Why the origin gave nothing; set where the verdict is `failed`, and nowhere else.
    public var failure: LoadFailure?
    /// From the question to the origin's answer, in milliseconds; zero where it was not asked.
    public var took = Duration.zero
    /// What the node shows; `nil`: that there is no value, or nothing was compared.
    public var shown: ValueImprint?
    /// What the origin has; `nil`: no value, or nothing was compared.
    public var origin: ValueImprint?
    /// What is shown was read at or after this position; `nil` if in a log that was left since, or
    /// nothing was compared.
    public var filled: LogPosition?
    /// Of what is shown, since it was stored or confirmed, in milliseconds.
    public var age = Duration.zero
    /// What is shown was stored without a token.
    public var isUnfenced = false

    public init(_ verdict: Verdict, _ state: NodeState, applied: LogPosition) {
        self.verdict = verdict
        self.state = state
        self.applied = applied
    }
}
