import CacheModel

/// The shapes of bodies.
extension OpenAPIDocument {
    static var schemas: [JSONDocument.Member] {
        [
            ("Object", object([], required: [], isClosed: false)),
            ("Problem", problem),
            ("Key", name(bytesMax: CacheKey.bytesMax)),
            ("Tag", name(bytesMax: Tag.bytesMax)),
            ("Namespace", namespaceName),
            ("Batch", .object([("oneOf", .list([reference("Keys"), reference("Stores")]))])),
            ("Keys", keys),
            ("Stores", stores),
            ("Store", store),
            ("Bytes", name(bytesMax: nil)),
            (
                "Results",
                object(
                    [("results", list("Object", 1...BatchOrder.keysMax))], required: ["results"],
                    isClosed: true)
            ),
            ("Invalidation", invalidation),
            ("Receipt", receipt),
            ("Cluster", cluster),
        ] + pushSchemas
    }

    private static var keys: JSONDocument {
        let keys = list("Key", 1...BatchOrder.keysMax, isUnique: true)
        return object([("keys", keys)], required: ["keys"], isClosed: true)
    }

    private static var stores: JSONDocument {
        let stores = list("Store", 1...BatchOrder.keysMax, isUnique: true)
        return object([(StoreBatch.member, stores)], required: [StoreBatch.member], isClosed: true)
    }

    private static var store: JSONDocument {
        let never = JSONDocument.object([("const", .text("never"))])
        let lifetime = number(1, StoreOrder.lifetimeMillisecondsMax)
        return object(
            [
                ("key", reference("Key")), ("value", reference("Bytes")),
                ("ttl_ms", .object([("oneOf", .list([lifetime, never]))])),
                ("tags", list("Tag", 0...Tag.perEntryMax)), ("version", version),
                ("etag", text(matching: APIField.etag.pattern)),
                ("content_type", text(matching: APIField.contentType.pattern)),
                ("content_encoding", text(matching: APIField.contentEncoding.pattern)),
                ("content_language", text(matching: APIField.contentLanguage.pattern)),
                ("token", text(matching: LoadRight.pattern)),
            ], required: ["key", "value"], isClosed: true)
    }

    private static func text(matching pattern: String?) -> JSONDocument {
        .object([
            ("type", .text("string")), ("pattern", .optional(pattern, JSONDocument.text)),
        ])
    }

    private static var problem: JSONDocument {
        object(
            [
                ("type", type("string")), ("title", type("string")), ("status", type("integer")),
                ("detail", type("string")), ("may_have_happened", type("boolean")),
            ], required: ["type", "title", "status", "detail"], isClosed: true)
    }

    /// A string, or bytes that are no text.
    ///
    /// - Parameter bytesMax: of its UTF-8, or of the bytes. A schema counts characters: what is
    ///   near to it may be refused all the same. `nil`: any number, none included.
    private static func name(bytesMax: Int?) -> JSONDocument {
        var text: [JSONDocument.Member] = [("type", .text("string"))]
        if let bytesMax {
            text += [("minLength", .integer(1)), ("maxLength", .integer(bytesMax))]
        }
        let digits = "[A-Za-z0-9+/]"
        let whole = "(?:\(digits){4})"
        let rest = "\(digits)[AQgw]==|\(digits){2}[AEIMQUYcgkosw048]="
        let bounded = bytesMax.map { bytesMax in
            let groups = bytesMax / 3
            return "^(?:\(whole){1,\(groups)}|\(whole){0,\(groups - 1)}(?:\(rest)))$"
        }
        let pattern = bounded ?? "^\(whole)*(?:\(rest))?$"
        let base64 = JSONDocument.object([
            ("type", .text("string")), ("pattern", .text(pattern)),
        ])
        let bytes = object([("base64", base64)], required: ["base64"], isClosed: true)
        return .object([("oneOf", .list([.object(text), bytes]))])
    }

    private static var invalidation: JSONDocument {
        let words = InvalidationOrder.Wait.allCases.map { JSONDocument.text($0.rawValue) }
        let milliseconds = InvalidationOrder.timeoutMax.wholeMilliseconds
        let shape = object(
            scopeMembers + [
                ("soft", type("boolean")), ("dry_run", type("boolean")),
                ("wait", .object([("enum", .list(words))])),
                ("timeout_ms", number(1, milliseconds)), ("min_version", version),
            ], required: [], isClosed: true)
        guard case .members(var members) = shape else { return shape }
        members.names += ["anyOf", "dependentSchemas"]
        members.values += [
            .list(["keys", "tags", "prefixes", "namespaces"].map(atLeastOne) + [everything]),
            .object([("min_version", atLeastOne("keys"))]),
        ]
        return .members(members)
    }

    /// A number, or its digits: of strings, what 64 bits surely hold.
    private static var version: JSONDocument {
        let digits = JSONDocument.object([
            ("type", .text("string")), ("pattern", .text("^[1-9][0-9]{0,18}$")),
        ])
        return .object([("oneOf", .list([number(1, .max), digits]))])
    }

    /// What can be invalidated, and subscribed to.
    static var scopeMembers: [JSONDocument.Member] {
        let most = 0...InvalidationRecord.scopesMax
        return [
            ("namespace", reference("Namespace")), ("keys", list("Key", most)),
            ("tags", list("Tag", most)), ("prefixes", list("Key", most)),
            ("namespaces", list("Namespace", most)), ("everything", type("boolean")),
        ]
    }

    private static func atLeastOne(_ name: String) -> JSONDocument {
        .object([
            ("required", .list([.text(name)])),
            ("properties", .object([(name, .object([("minItems", .integer(1))]))])),
        ])
    }

    private static var everything: JSONDocument {
        .object([
            ("required", .list([.text("everything")])),
            ("properties", .object([("everything", .object([("const", .bool(true))]))])),
        ])
    }

    private static var receipt: JSONDocument {
        object(
            [
                ("position", .object([("type", .list([.text("string"), .text("null")]))])),
                ("cluster", text(matching: "^[0-9a-f]{16}$")), ("wait", type("string")),
                ("complete", .object([("type", .list([.text("boolean"), .text("null")]))])),
                ("applied", list("Object", nil)), ("expired", list("Object", nil)),
                ("pending", list("Object", nil)), ("entries", type("integer")),
                ("bytes", type("integer")), ("exact", type("boolean")),
                ("nodes", list("Object", nil)),
            ], required: ["position", "wait", "complete", "applied", "expired", "pending"],
            isClosed: true)
    }

    private static var namespaceName: JSONDocument {
        .object([
            ("type", .text("string")),
            ("pattern", .text("^[A-Za-z0-9._-]{1,\(Namespace.bytesMax)}$")),
        ])
    }

    static func type(_ name: String) -> JSONDocument { .object([("type", .text(name))]) }

    static func reference(_ name: String) -> JSONDocument {
        .object([("$ref", .text("#/components/schemas/\(name)"))])
    }

    private static func number(_ least: Int, _ most: UInt64) -> JSONDocument {
        .object([
            ("type", .text("integer")), ("minimum", .integer(least)), ("maximum", .unsigned(most)),
        ])
    }

    static func list(
        _ item: String, _ count: ClosedRange<Int>?, isUnique: Bool = false
    ) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("type", .text("array")), ("items", reference(item)),
        ]
        if let count {
            members.append(("minItems", .integer(count.lowerBound)))
            members.append(("maxItems", .integer(count.upperBound)))
        }
        if isUnique { members.append(("uniqueItems", .bool(true))) }
        return .object(members)
    }

    static func object(
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
