package import CacheModel

/// One attempt to get one value from its origin, or to send it a write.
package struct OriginRequest: Equatable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey
    /// The validator of the held value, for a conditional request; `nil`: the value itself is
    /// requested.
    package var validator: Validator?
    /// The terms of the held value; `nil` if there is no value, or it has no terms.
    package var held: LoadTerms?
    package var policy: OriginPolicy
    /// The contents of the TLS files that the policy names; `nil` if it names none.
    package var trust: OriginTrust?
    /// A longer value is not accepted: stop reading.
    package var valueBytesMax: Int
    /// The answer must be complete within this time.
    package var timeout: Duration
    /// The write to send; `nil`: a read.
    package var write: OriginWrite?
    /// The trace of the external request that it belongs to, forwarded to the origin.
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
