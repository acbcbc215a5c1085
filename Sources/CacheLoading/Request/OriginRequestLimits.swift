/// Every bound on what is sent to an origin.
package enum OriginRequestLimits {
    /// Longest template of an origin's URL, in bytes. With the longest key, of which every byte
    /// takes three, a request's target stays below 15 KiB; many servers refuse more than 8 KiB.
    package static let templateBytesMax = 2_048
    /// Most fields of a namespace's own.
    package static let fieldsMax = 32
    /// Most bytes of their names and values together: servers answer 431 to much more.
    package static let fieldBytesMax = 8_192
    /// Longest template of a body, in bytes: a query with its variables.
    package static let bodyTemplateBytesMax = 32 << 10
    /// Longest name of a file in a node's directory of secrets, in bytes.
    package static let fileNameBytesMax = 255
    /// Most bytes of a file of certificates, or of a key.
    package static let certificateBytesMax = 256 << 10
}
