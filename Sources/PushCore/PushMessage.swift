package import CacheModel

/// Something that is sent to subscribers: JSON text, encoded once for all who get the same.
package struct PushMessage: Hashable, Sendable {
    /// The words travel, as `type` and as the name of a server-sent event.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The subscription is accepted.
        case hello
        /// Something is invalidated.
        case record
        /// What lies between the place asked for and here can no longer be had.
        case gone
        /// All is told up to here.
        case heartbeat
        /// The gateway ends the subscription.
        case end
    }

    package let kind: Kind
    /// Up to where its reader has been told everything; `nil` where that is not known.
    package let position: LogPosition?
    /// One JSON object, on one line.
    package let text: [UInt8]

    /// What it counts in a reader's queue.
    package var bytes: Int { text.count }
}
