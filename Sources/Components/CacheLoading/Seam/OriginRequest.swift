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

/// The contents of a node's TLS files for one namespace's origin: PEM, as read.
package struct OriginTrust: Equatable, Sendable {
    package var authority: [UInt8]?
    /// Requires `key`.
    package var certificate: [UInt8]?
    package var key: [UInt8]?

    package init(authority: [UInt8]? = nil, certificate: [UInt8]? = nil, key: [UInt8]? = nil) {
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }
}

package enum OriginRequestLimits {
    /// Longest template of an origin's URL, in bytes. With the longest key, of which every byte
    /// takes three, a request's target stays below 15 KiB; many servers refuse more than 8 KiB.
    package static let templateBytesMax = 2_048
    package static let fieldsMax = 32
    /// Maximum bytes of their names and values together: servers answer 431 to much more.
    package static let fieldBytesMax = 8_192
    /// Longest template of a body, in bytes: a query with its variables.
    package static let bodyTemplateBytesMax = 32 << 10
    /// Longest name of a file in a node's directory of secrets, in bytes.
    package static let fileNameBytesMax = 255
    package static let certificateBytesMax = 256 << 10
}
