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
