package import CacheModel

/// What the gateway is to do, in this order.
package enum PushAction: Hashable, Sendable {
    /// The same bytes to each of them. ``PushHub/taken(_:bytes:now:)`` says when they are gone.
    case send(PushMessage, to: [SubscriberID])
    /// The last message, after which the connection is closed. The hub has forgotten it.
    case end(SubscriberID, PushEnding, PushMessage)
}

/// Why a subscription ends by the gateway's doing. The words travel.
package enum PushEnding: String, Hashable, Sendable, CaseIterable {
    /// More waited for the reader than is kept for one.
    case slow
    /// The reader took nothing for long.
    case stalled
    /// The gateway stops, and another or the next one goes on.
    case stopping
    /// The token's time is over, or it is not valid any more.
    case expired

    /// What to do about it.
    package var sentence: String {
        switch self {
        case .slow: "you read too slowly: come back with your last position"
        case .stalled: "you read nothing for long: come back with your last position"
        case .stopping: "the gateway stops: come back with your last position"
        case .expired: "your token is not valid any more: come back with a new one"
        }
    }
}

/// The counters and gauges of a hub.
package struct PushFigures: Hashable, Sendable {
    /// Subscriptions accepted.
    package var accepted: UInt64 = 0
    /// Refused because there were too many.
    package var refused: UInt64 = 0
    /// Messages handed out, each reader's counted.
    package var sent: UInt64 = 0
    /// Of the messages handed out, records that a reader had missed.
    package var replayed: UInt64 = 0
    /// Records that came.
    package var records: UInt64 = 0
    /// Readers that were cut because they were slow or took nothing.
    package var cut: UInt64 = 0
    /// Readers that were sent `gone`.
    package var gone: UInt64 = 0
    /// Readers that came back with a position.
    package var resumed: UInt64 = 0

    package var subscribers = 0
    package var ringRecords = 0
    package var ringBytes = 0
    /// Of messages that were handed out and that readers have not taken.
    package var waitingBytes = 0
    /// Up to where the log is known here; `nil` before the publisher was heard.
    package var position: LogPosition?
    package var head: LogPosition?

    package init() {}
}
