/// What the gateway is to do, in this order.
package enum PushAction: Hashable, Sendable {
    /// The same bytes to each of them. ``PushHub/taken(_:bytes:now:)`` says when they are gone.
    case send(PushMessage, to: [SubscriberID])
    /// The last message, after which the connection is closed. The hub has forgotten it.
    case end(SubscriberID, PushEnding, PushMessage)
}
