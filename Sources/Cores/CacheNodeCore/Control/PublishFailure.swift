/// Why a shard's publish failed, as far as the node knows.
package enum PublishFailure: Error, Hashable, Sendable {
    /// Too many are under way. Nothing was invalidated.
    case tooManyInFlight
    /// No scopes, too many, or more bytes than fit into a record. Nothing was invalidated.
    case outOfRange
    /// No answer came in time. The scopes may have been invalidated, or may yet be.
    case unanswered
    /// The publisher declined. Nothing was invalidated.
    case refused(code: UInt16, message: String)
    /// The node is leaving. The scopes may have been invalidated.
    case leaving
}
