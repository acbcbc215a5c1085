/// What a client is asked to do, as spans name it.
enum ClientOperation: String, Sendable {
    case get, set, delete, touch, invalidate, load
}
