package import CacheModel

/// A message to subscribers: JSON text, encoded once for all that get the same.
package struct PushMessage: Hashable, Sendable {
    /// The words travel, as `type` and as the name of a server-sent event.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The subscription is accepted.
        case hello
        /// Something is invalidated.
        case record
        /// Records between the requested position and here are no longer available.
        case gone
        /// Everything up to here was sent.
        case heartbeat
        /// The gateway ends the subscription.
        case end
    }

    package let kind: Kind
    /// The position up to which its reader has been sent everything; `nil` where that is not known.
    package let position: LogPosition?
    /// One JSON object, on one line.
    package let text: [UInt8]

    /// Its size in a reader's queue.
    package var bytes: Int { text.count }
}
