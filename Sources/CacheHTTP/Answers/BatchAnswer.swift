package import CacheModel

/// The answer to several keys, put together one by one, with a bound on what it holds.
package struct BatchAnswer: Sendable {
    private var results: [JSONDocument] = []
    private var valueBytes = 0

    package init() {}

    /// Whether no more values are taken.
    package var isFull: Bool { valueBytes >= BatchOrder.valueBytesMax }

    /// Adds what was found of a key; `nil`: it is not there.
    package mutating func add(_ key: CacheKey, _ value: FoundValue?) {
        guard let value else {
            return add(key, Problem(.notFound, "the key is not there"))
        }
        valueBytes += value.bytes.count
        guard valueBytes <= BatchOrder.valueBytesMax else { return add(key, Self.beyond) }
        var members = Self.named("key", key.bytes) + [("status", .integer(200))]
        members += Self.named("value", value.bytes)
        members += [
            ("etag", .text(EntityTag(of: value).text)),
            ("age_ms", .unsigned(value.age.wholeMilliseconds)),
            ("ttl_ms", .optional(value.timeToLive) { .unsigned($0.wholeMilliseconds) }),
            ("stale", .bool(value.isStale)), ("position", .text("\(value.position)")),
        ]
        results.append(.object(members))
    }

    /// Adds why a key has no value.
    package mutating func add(_ key: CacheKey, _ problem: Problem) {
        results.append(
            .object(
                Self.named("key", key.bytes) + [
                    ("status", .integer(problem.kind.status)),
                    ("type", .text(Problem.typePrefix + problem.kind.rawValue)),
                    ("detail", .text(problem.detail)),
                ]))
    }

    /// What is said of a key for whose value there is no room left.
    package static var beyond: Problem {
        Problem(
            .bodyTooLarge,
            "the values before it have \(BatchOrder.valueBytesMax) bytes already: ask for it alone")
    }

    package var answer: Answer {
        var answer = Answer(200, json: .object([("results", .list(results))]))
        answer.fields.append("Cache-Control", "no-store")
        return answer
    }

    /// As text, or `NAME_base64` where it is none.
    private static func named(_ name: String, _ bytes: [UInt8]) -> [JSONDocument.Member] {
        if let text = String(validating: bytes, as: UTF8.self) { return [(name, .text(text))] }
        return [(name + "_base64", .text(Base64Text.text(of: bytes)))]
    }
}
