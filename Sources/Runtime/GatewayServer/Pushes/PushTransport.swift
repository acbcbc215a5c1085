/// The transport of a subscriber.
enum PushTransport: String, CaseIterable, Sendable {
    case webSocket = "websocket"
    case events = "events"
}
