/// The chained hash that ties a record of the log to all before it.
///
/// `d(0)` is the log's random ``LogID``; `d(n)` is XXH64, seed 0, over the encoded record n, which
/// itself carries `d(n − 1)`. Two logs that agree on the digest at a position agree on everything
/// up to it.
public struct LogDigest: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The digest of an empty log.
    public init(startOf log: LogID) {
        rawValue = log.rawValue
    }

    public var description: String { String(rawValue, radix: 16) }
}
