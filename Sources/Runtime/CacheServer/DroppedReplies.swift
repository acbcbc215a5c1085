import Logging

/// Replies that were not sent, and why; logged at most once a tick.
struct DroppedReplies {
    /// The asker does not read its replies.
    var slow: UInt64 = 0
    /// The asker is gone.
    var gone: UInt64 = 0
    /// The lease ended between the decision and the send.
    var lapsed: UInt64 = 0
    /// A message that is not one frame, or from a peer that named itself.
    var malformed: UInt64 = 0
    /// How many the log has been told of.
    private var told: UInt64 = 0

    /// All of them since the start, by cause.
    var counts: [(cause: String, count: UInt64)] {
        [("slow", slow), ("gone", gone), ("lapsed", lapsed), ("malformed", malformed)]
    }

    /// Logs how many there are now, if some have come since the last time.
    mutating func report(to logger: Logger, shard: Int) {
        let count = slow + gone + lapsed + malformed
        guard count > told else { return }
        told = count
        logger.debug(
            "replies not sent since the start",
            metadata: [
                "shard": "\(shard)", "slow": "\(slow)", "gone": "\(gone)", "lapsed": "\(lapsed)",
                "malformed": "\(malformed)",
            ])
    }
}
