import MartletClient

/// A request that follows from an answer.
enum FollowUp {
    /// The value for a miss, with the token of that miss.
    case fill(key: Int, keyBytes: UInt32, valueBytes: UInt32, token: PipelinedToken, since: UInt64)
    /// The write after a read, for the operation with that tag.
    case write(UInt32)
}
