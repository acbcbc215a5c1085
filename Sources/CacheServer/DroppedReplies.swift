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

    /// Logs what has come since the last time, and begins anew.
    mutating func report(to logger: Logger, shard: Int) {
        guard slow + gone + lapsed + malformed > 0 else { return }
        logger.debug(
            "replies not sent",
            metadata: [
                "shard": "\(shard)", "slow": "\(slow)", "gone": "\(gone)", "lapsed": "\(lapsed)",
                "malformed": "\(malformed)",
            ])
        self = DroppedReplies()
    }
}
