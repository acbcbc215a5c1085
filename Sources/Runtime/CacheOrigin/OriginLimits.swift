/// Every bound of what touches origins, beside those in `OriginRequestLimits` and
/// `OriginReplyLimits`.
enum OriginLimits {
    /// A longer timeout counts as this one: clocks overflow at the end of time.
    static let timeoutMax = Duration.seconds(3_600)
    /// Most attempts over HTTP at a time: a stop for a shell that has lost count. Each has a
    /// timeout, so they end.
    static let attemptsMax = 65_536
    /// How often one attempt begins anew because its connection was closed before it was asked.
    static let reusesMax = 4
    /// How long a shutdown waits for aborted attempts to stop.
    static let lingerMax = Duration.seconds(2)
    /// Most namespaces of which the parsed URLs and certificates are cached.
    static let routesMax = 1_024
}
