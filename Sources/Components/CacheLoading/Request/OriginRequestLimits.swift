/// Bounds on requests to an origin.
package enum OriginRequestLimits {
    /// Longest template of an origin's URL, in bytes. With the longest key, of which every byte
    /// takes three, a request's target stays below 15 KiB; many servers refuse more than 8 KiB.
    package static let templateBytesMax = 2_048
    /// Maximum number of a namespace's own fields.
    package static let fieldsMax = 32
    /// Maximum bytes of their names and values together: servers answer 431 to much more.
    package static let fieldBytesMax = 8_192
    /// Longest template of a body, in bytes: a query with its variables.
    package static let bodyTemplateBytesMax = 32 << 10
    /// Longest name of a file in a node's directory of secrets, in bytes.
    package static let fileNameBytesMax = 255
    /// Maximum bytes of a certificate or key file.
    package static let certificateBytesMax = 256 << 10
}
