import CacheModel
import Logging

/// Messages that were refused because the table of namespaces is full: said at once, and then once
/// in a while.
struct RefusedNamespaces {
    /// How many the log has been told of.
    private var told: UInt64 = 0
    private var nextReport = Instant(nanoseconds: 0)

    /// - Parameter count: since the start.
    mutating func report(_ count: UInt64, to logger: Logger, shard: Int, now: Instant) {
        guard count > told, now >= nextReport else { return }
        nextReport = now.advanced(by: ServerLimits.namespaceReportInterval)
        logger.warning(
            """
            namespaces: refused, because the shard knows as many as it may: name the real ones in \
            the configuration, narrow the patterns of keys that write, and restart the node
            """,
            metadata: ["shard": "\(shard)", "refused": "\(count - told)"])
        told = count
    }
}
