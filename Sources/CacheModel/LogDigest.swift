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

    /// The digest of a log of which nothing has been written yet.
    public init(startOf log: LogID) {
        rawValue = log.rawValue
    }

    public var description: String { String(rawValue, radix: 16) }
}

/// The random name of one log, drawn when it is created. Never zero: zero means "none".
public struct LogID: Hashable, Sendable, CustomStringConvertible {
    public static let none = LogID(0)

    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue, radix: 16) }
}

/// A position together with the digest of the log there: a claim that can be checked.
public struct LogMark: Hashable, Sendable {
    public var position: LogPosition
    public var digest: LogDigest

    public init(position: LogPosition, digest: LogDigest) {
        self.position = position
        self.digest = digest
    }

    /// What somebody claims who has heard of no log yet.
    public static let none = LogMark(position: .none, digest: LogDigest(0))
}
