package import CacheModel

/// One attempt to get one value from its origin, or to tell it of a write.
package struct OriginRequest: Equatable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey
    /// What is held already, to be asked about; `nil`: the value itself is wanted.
    package var validator: Validator?
    /// On what terms that is held; `nil` if nothing is, or on none.
    package var held: LoadTerms?
    package var policy: OriginPolicy
    /// What the files hold that the policy names for TLS; `nil` if it names none.
    package var trust: OriginTrust?
    /// A longer value is not wanted: stop reading.
    package var valueBytesMax: Int
    /// The answer must be whole by then.
    package var timeout: Duration
    /// What the origin is told; `nil`: it is asked.
    package var write: OriginWrite?
    /// Which request of the outside it is for, for the origin to know.
    package var trace: TraceContext?

    package init(
        namespace: Namespace, key: CacheKey, validator: Validator? = nil, policy: OriginPolicy,
        valueBytesMax: Int, timeout: Duration
    ) {
        self.namespace = namespace
        self.key = key
        self.validator = validator
        self.policy = policy
        self.valueBytesMax = valueBytesMax
        self.timeout = timeout
    }
}
