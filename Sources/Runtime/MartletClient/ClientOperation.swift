/// The operations of a client, with their names in spans.
enum ClientOperation: String, Sendable {
    case get, set, delete, touch, invalidate, load
}
