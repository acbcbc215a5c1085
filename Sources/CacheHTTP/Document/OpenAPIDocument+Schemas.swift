/// The shapes of bodies.
extension OpenAPIDocument {
    static var schemas: [JSONDocument.Member] {
        [
            ("Object", object([], required: [], isClosed: false)),
            ("Problem", problem),
            ("Name", name),
            (
                "Keys",
                object(
                    [("keys", list("Name", 1...BatchOrder.keysMax))], required: ["keys"],
                    isClosed: true)
            ),
            (
                "Results",
                object(
                    [("results", list("Object", 1...BatchOrder.keysMax))], required: ["results"],
                    isClosed: true)
            ),
            ("Invalidation", invalidation),
            ("Receipt", receipt),
            ("Cluster", cluster),
        ]
    }

    private static var problem: JSONDocument {
        object(
            [
                ("type", type("string")), ("title", type("string")), ("status", type("integer")),
                ("detail", type("string")), ("may_have_happened", type("boolean")),
            ], required: ["type", "title", "status", "detail"], isClosed: true)
    }

    /// A string, or bytes that are no text.
    private static var name: JSONDocument {
        let text = JSONDocument.object([
            ("type", .text("string")), ("minLength", .integer(1)), ("maxLength", .integer(250)),
        ])
        let bytes = object(
            [("base64", type("string"))], required: ["base64"], isClosed: true)
        return .object([("oneOf", .list([text, bytes]))])
    }

    private static var invalidation: JSONDocument {
        let words = InvalidationOrder.Wait.allCases.map { JSONDocument.text($0.rawValue) }
        let milliseconds = Int(InvalidationOrder.timeoutMax.components.seconds) * 1_000
        return object(
            [
                ("namespace", namespaceName), ("keys", list("Name", 0...1_000)),
                ("tags", list("Name", 0...1_000)), ("prefixes", list("Name", 0...1_000)),
                ("namespaces", .object([("type", .text("array")), ("items", namespaceName)])),
                ("everything", type("boolean")), ("soft", type("boolean")),
                ("dry_run", type("boolean")),
                ("wait", .object([("enum", .list(words))])),
                ("timeout_ms", number(1, milliseconds)), ("min_version", number(1, nil)),
            ], required: [], isClosed: true)
    }

    private static var receipt: JSONDocument {
        object(
            [
                ("position", .object([("type", .list([.text("string"), .text("null")]))])),
                ("wait", type("string")),
                ("complete", .object([("type", .list([.text("boolean"), .text("null")]))])),
                ("applied", list("Object", nil)), ("expired", list("Object", nil)),
                ("pending", list("Object", nil)), ("entries", type("integer")),
                ("bytes", type("integer")), ("exact", type("boolean")),
                ("nodes", list("Object", nil)),
            ], required: ["position", "wait", "complete", "applied", "expired", "pending"],
            isClosed: true)
    }

    private static var namespaceName: JSONDocument {
        .object([("type", .text("string")), ("pattern", .text("^[A-Za-z0-9._-]{1,64}$"))])
    }

    private static func type(_ name: String) -> JSONDocument { .object([("type", .text(name))]) }

    private static func number(_ least: Int, _ most: Int?) -> JSONDocument {
        .object(
            [("type", .text("integer")), ("minimum", .integer(least))]
                + (most.map { [("maximum", .integer($0))] } ?? []))
    }

    private static func list(_ item: String, _ count: ClosedRange<Int>?) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("type", .text("array")),
            ("items", .object([("$ref", .text("#/components/schemas/\(item)"))])),
        ]
        if let count {
            members.append(("minItems", .integer(count.lowerBound)))
            members.append(("maxItems", .integer(count.upperBound)))
        }
        return .object(members)
    }

    private static func object(
        _ properties: [JSONDocument.Member], required: [String], isClosed: Bool
    ) -> JSONDocument {
        var members: [JSONDocument.Member] = [("type", .text("object"))]
        if !properties.isEmpty { members.append(("properties", .object(properties))) }
        if !required.isEmpty {
            members.append(("required", .list(required.map(JSONDocument.text))))
        }
        if isClosed { members.append(("additionalProperties", .bool(false))) }
        return .object(members)
    }
}
