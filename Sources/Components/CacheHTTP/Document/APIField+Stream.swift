import CacheModel

/// What `GET /v1/stream` may have.
extension APIField {
    static let streamQuery = [
        APIField(
            name: "everything", description: "To be told of every invalidation. It has no value.",
            pattern: "^$", place: .query),
        APIField(
            name: "namespace", description: "All that covers something in the namespace.",
            pattern: "^[A-Za-z0-9._-]{1,\(Namespace.bytesMax)}$", example: "images", place: .query,
            repeats: true),
        name("key", "All that may cover the key.", example: "images/logo.png"),
        name("prefix", "All that may cover a key with this beginning.", example: "images/t:"),
        name("tag", "The tag, its namespace, everything.", example: "news"),
        APIField(
            name: "after", description: "The last position that was heard.",
            pattern: positionPattern, example: "1:42", place: .query),
    ]

    private static func name(_ name: String, _ what: String, example: String) -> APIField {
        APIField(
            name: name,
            description: "\(what) The part before the first slash is the namespace; without a "
                + "slash it is default.",
            pattern: "^(?:[A-Za-z0-9._-]{1,\(Namespace.bytesMax)}/)?[^/]+",
            example: example, place: .query, repeats: true)
    }

    static let lastEvent = APIField(
        name: "Last-Event-ID", description: "The last position that was heard, before `after`.",
        pattern: positionPattern, example: "1:42")
    static let upgrade = APIField(
        name: "Upgrade", description: "websocket; without it events are sent.",
        pattern: "^[Ww][Ee][Bb][Ss][Oo][Cc][Kk][Ee][Tt]$")
    static let connection = APIField(
        name: "Connection", description: "Upgrade, of a WebSocket.")
    static let webSocketVersion = APIField(
        name: "Sec-WebSocket-Version", description: "Of a WebSocket.", pattern: "^13$")
    static let webSocketKey = APIField(
        name: "Sec-WebSocket-Key", description: "Of a WebSocket: 16 bytes in base64.",
        pattern: "^[A-Za-z0-9+/]{21}[AQgw]==$", example: "dGhlIHNhbXBsZSBub25jZQ==")
}
