/// The shape of `GET /v1/cluster`. Members may be added: nothing here is closed.
extension OpenAPIDocument {
    static var cluster: JSONDocument {
        shape(
            [
                ("topology", .object([("enum", .list([.text("sharded"), .text("replicated")]))])),
                ("topology_version", counter), ("head", maybe("string")),
                ("publisher", publisher), ("nodes", listed(node)),
            ], required: ["topology", "topology_version", "head", "publisher", "nodes"])
    }

    private static var publisher: JSONDocument {
        shape(
            [
                ("endpoint", word), ("reachable", .object([("type", .text("boolean"))])),
                ("state", maybe("string")), ("why", word), ("figures", figures),
            ], required: ["endpoint", "reachable", "state"])
    }

    /// A node that does not answer has `why`; one that does has `age_ms`, `figures` and `shards`.
    private static var node: JSONDocument {
        shape(
            [
                ("node", word), ("weight", .object([("type", .text("number"))])),
                ("endpoints", listed(word)),
                ("reachable", .object([("type", .text("boolean"))])), ("state", maybe("string")),
                ("applied", maybe("string")), ("lag", maybe("integer")),
                ("lease_ms", maybe("integer")), ("age_ms", maybe("integer")), ("why", word),
                ("figures", figures), ("shards", listed(shard)),
            ], required: ["node", "weight", "endpoints"])
    }

    private static var shard: JSONDocument {
        shape(
            [
                ("shard", maybe("integer")), ("incarnation", maybe("string")), ("state", word),
                ("reason", maybe("string")), ("applied", word), ("lag", maybe("integer")),
                ("lease_ms", maybe("integer")), ("figures", figures),
            ], required: ["state", "applied", "figures"])
    }

    private static var word: JSONDocument { .object([("type", .text("string"))]) }

    private static var counter: JSONDocument {
        .object([("type", .text("integer")), ("minimum", .integer(0))])
    }

    private static var figures: JSONDocument {
        .object([("type", .text("object")), ("additionalProperties", counter)])
    }

    private static func maybe(_ type: String) -> JSONDocument {
        .object([("type", .list([.text(type), .text("null")]))])
    }

    private static func listed(_ item: JSONDocument) -> JSONDocument {
        .object([("type", .text("array")), ("items", item)])
    }

    private static func shape(
        _ properties: [JSONDocument.Member], required: [String]
    ) -> JSONDocument {
        .object([
            ("type", .text("object")), ("properties", .object(properties)),
            ("required", .list(required.map(JSONDocument.text))),
        ])
    }
}
