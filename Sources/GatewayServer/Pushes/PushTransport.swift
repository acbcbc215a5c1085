/// How a subscriber is spoken to.
enum PushTransport: String, CaseIterable, Sendable {
    case webSocket = "websocket"
    case events = "events"
}
