/// Why a shard's publish came to nothing, as far as the node knows.
package enum PublishFailure: Error, Hashable, Sendable {
    /// Too much is under way already. Nothing was invalidated.
    case tooManyInFlight
    /// No scopes, too many, or more bytes than a record has. Nothing was invalidated.
    case outOfRange
    /// No answer came in time. It may have been invalidated, or may yet be.
    case unanswered
    /// The publisher declined. Nothing was invalidated.
    case refused(code: UInt16, message: String)
    /// The node is leaving. It may have been invalidated.
    case leaving
}
