import CacheModel

/// The messages of the stream. docs/pushes.md describes their members; some may be added.
extension OpenAPIDocument {
    static var pushSchemas: [JSONDocument.Member] {
        let kinds = ["Hello", "Record", "Heartbeat", "Gone", "End"].map { reference("Push" + $0) }
        return [
            ("StreamRequest", streamRequest),
            ("PushEvent", event),
            ("PushMessage", .object([("oneOf", .list(kinds))])),
            (
                "PushHello",
                message(
                    "hello",
                    [
                        ("position", position(orNull: true)), ("head", position(orNull: true)),
                        ("heartbeat_ms", count),
                    ])
            ),
            (
                "PushRecord",
                message(
                    "record",
                    [
                        ("position", position(orNull: false)),
                        ("strength", words(["hard", "soft"])),
                        ("scopes", list("PushScope", nil)),
                    ])
            ),
            (
                "PushHeartbeat",
                message(
                    "heartbeat",
                    [
                        ("position", position(orNull: true)), ("head", position(orNull: true)),
                        (
                            "silent_ms",
                            .object([("type", .list([.text("integer"), .text("null")]))])
                        ),
                        ("publisher", words(["here", "away"])),
                    ])
            ),
            (
                "PushGone",
                message(
                    "gone",
                    [
                        ("after", position(orNull: false)), ("position", position(orNull: false)),
                    ])
            ),
            ("PushEnd", end),
            ("PushScope", scope),
        ]
    }

    private static var count: JSONDocument {
        .object([("type", .text("integer")), ("minimum", .integer(0))])
    }

    private static func words(_ words: [String]) -> JSONDocument {
        .object([("enum", .list(words.map { .text($0) }))])
    }

    private static func position(orNull: Bool) -> JSONDocument {
        let type: JSONDocument =
            orNull ? .list([.text("string"), .text("null")]) : .text("string")
        return .object([("type", type), ("pattern", .text(APIField.positionPattern))])
    }

    private static func message(
        _ kind: String, _ members: [JSONDocument.Member]
    ) -> JSONDocument {
        object(
            [("type", .object([("const", .text(kind))]))] + members,
            required: ["type"] + members.map(\.name), isClosed: false)
    }

    private static var end: JSONDocument {
        object(
            [
                ("type", .object([("const", .text("end"))])), ("code", type("string")),
                ("reason", type("string")), ("position", position(orNull: true)),
                ("retry_ms", count),
            ], required: ["type", "code", "reason"], isClosed: false)
    }

    private static var scope: JSONDocument {
        let number = JSONDocument.object([
            ("type", .text("string")), ("pattern", .text("^[0-9]{1,20}$")),
        ])
        return object(
            [
                ("kind", words(["key", "tag", "prefix", "namespace", "all"])),
                ("name", type("string")), ("name_base64", type("string")),
                ("namespace", reference("Namespace")), ("min_version", number),
                (
                    "hash_range",
                    .object([
                        ("type", .text("array")), ("items", number), ("minItems", .integer(2)),
                        ("maxItems", .integer(2)),
                    ])
                ),
            ], required: ["kind"], isClosed: false)
    }

    /// The first message of a WebSocket.
    private static var streamRequest: JSONDocument {
        object(
            scopeMembers + [("after", position(orNull: false)), ("token", type("string"))],
            required: [], isClosed: true)
    }

    /// A server-sent event; one with `retry` comes first.
    private static var event: JSONDocument {
        let message = JSONDocument.object([
            ("type", .text("string")), ("contentMediaType", .text("application/json")),
            ("contentSchema", reference("PushMessage")),
        ])
        return object(
            [
                ("event", words(["hello", "record", "heartbeat", "gone", "end"])),
                ("id", type("string")), ("data", message), ("retry", count),
            ], required: [], isClosed: false)
    }
}
