import MartletClient

/// What has to be sent because of an answer.
enum FollowUp {
    /// The value for a miss, under the token that came with it.
    case fill(key: Int, keyBytes: UInt32, valueBytes: UInt32, token: PipelinedToken, since: UInt64)
    /// The write of a value that was read, for the operation of that tag.
    case write(UInt32)
}
