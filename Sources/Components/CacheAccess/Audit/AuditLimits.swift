/// Every bound of what is noted for later.
package enum AuditLimits {
    /// Scopes of one invalidation that are named; the rest is counted.
    package static let scopesMax = 32
    /// Entries of a changed list that are named, of each kind; the rest is counted.
    package static let entriesMax = 64
    /// Of a name that stands in a line of another log; the rest is left out.
    static let memberBytesMax = 256
    /// Denials of one key that are noted within ``denialWindow``.
    package static let denialsMax: UInt64 = 4
    package static let denialWindow = Duration.seconds(1)
    /// Bytes of lines that one key has in a second for what it is allowed to do.
    package static let lineBytesPerSecond = 512 << 10
}
