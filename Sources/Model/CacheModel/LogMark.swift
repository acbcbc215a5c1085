/// A position together with the log's digest there: a claim that can be verified.
public struct LogMark: Hashable, Sendable {
    public var position: LogPosition
    public var digest: LogDigest

    public init(position: LogPosition, digest: LogDigest) {
        self.position = position
        self.digest = digest
    }

    /// The mark of a process that knows no log yet.
    public static let none = LogMark(position: .none, digest: LogDigest(0))
}
