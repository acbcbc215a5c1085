import ByteCoding
package import CacheModel

/// The answer to several keys, put together one by one, with a bound on what it holds: it is kept
/// as the text that will be sent, and values count with what they take there.
package struct BatchAnswer: Sendable {
    private var text = Array(#"{"results":["#.utf8)
    private var valueBytes = 0

    package init() {}

    /// Whether no more values are taken.
    package var isFull: Bool { valueBytes >= BatchOrder.valueBytesMax }

    /// What it has so far.
    package var bytes: Int { text.count }

    /// Adds what was found of a key; `nil`: it is not there.
    package mutating func add(_ key: CacheKey, _ value: FoundValue?) {
        guard let value else {
            return add(key, Problem(.notFound, "the key is not there"))
        }
        valueBytes += value.bytes.count
        // What is too long as it is need not be written to know how long it gets.
        guard valueBytes <= BatchOrder.valueBytesMax else { return add(key, Self.beyond) }
        let written = JSONDocument.members("value", value.bytes)
        valueBytes += written.reduce(-value.bytes.count) { $0 + Self.length($1.value) }
        guard valueBytes <= BatchOrder.valueBytesMax else { return add(key, Self.beyond) }
        var members = JSONDocument.members("key", key.bytes) + [("status", .integer(200))] + written
        members += [
            ("etag", .text(EntityTag(of: value).text)),
            ("age_ms", .unsigned(value.age.wholeMilliseconds)),
            ("ttl_ms", .optional(value.timeToLive) { .unsigned($0.wholeMilliseconds) }),
            ("stale", .bool(value.isStale)), ("fenced", .bool(value.isFenced)),
            ("overtaken", .bool(value.isOvertaken)),
            ("position", value.position == .none ? .null : .text("\(value.position)")),
        ]
        members += JSONDocument.members(of: value.representation)
        members += JSONDocument.members(of: value.position == .none ? .none : value.cluster)
        append(members)
    }

    /// Adds what a reader is told of a key that is not there and that it would fill.
    package mutating func add(_ key: CacheKey, _ offer: FillOffer) {
        append(
            Self.members(key, offer.problem) + [
                ("token", .optional(offer.right) { .text($0.text) }),
                (
                    "retry_after_ms",
                    .optional(offer.retryAfter) { .unsigned(max(1, $0.wholeMilliseconds)) }
                ),
            ])
    }

    /// Adds what became of a value that was to be stored.
    package mutating func add(_ key: CacheKey, _ stored: StoredValue) {
        var members = JSONDocument.members("key", key.bytes)
        members += [
            ("status", .integer(stored.status)), ("fenced", .bool(stored.isFenced)),
            ("position", .text("\(stored.position)")),
        ]
        members += JSONDocument.members(of: stored.cluster)
        append(members)
    }

    /// Adds why a key has no value, or was not stored.
    package mutating func add(_ key: CacheKey, _ problem: Problem) {
        append(Self.members(key, problem))
    }

    private static func members(_ key: CacheKey, _ problem: Problem) -> [JSONDocument.Member] {
        var members =
            JSONDocument.members("key", key.bytes) + [
                ("status", .integer(problem.kind.status)),
                ("type", .text(Problem.typePrefix + problem.kind.rawValue)),
                ("detail", .text(problem.detail)),
            ]
        if problem.mayHaveHappened { members.append(("may_have_happened", .bool(true))) }
        return members
    }

    private mutating func append(_ members: [JSONDocument.Member]) {
        if text.last != UInt8(ascii: "[") { text.append(UInt8(ascii: ",")) }
        text += JSONDocument.object(members).line.utf8
    }

    /// The problem of a key with no room left for its value.
    package static var beyond: Problem {
        Problem(
            .bodyTooLarge,
            "the values before it have \(BatchOrder.valueBytesMax) bytes already, as JSON writes "
                + "them: ask for it alone")
    }

    package var answer: Answer {
        Answer(
            200, FieldList(["Content-Type": "application/json", "Cache-Control": "no-store"]),
            body: text + "]}".utf8)
    }

    /// How many bytes a text takes in JSON, without its quotes. It is written in pieces that are
    /// not kept: the whole may take six times its bytes, and then there is no room for it.
    private static func length(_ value: JSONDocument) -> Int {
        guard case .text(let text) = value else { return 0 }
        var rest = Substring(text).unicodeScalars
        var length = 0
        while !rest.isEmpty {
            var written: [UInt8] = []
            JSONString.append(String(Substring(rest.prefix(scalarsAtOnce))), to: &written)
            length += written.count - 2
            rest = rest.dropFirst(scalarsAtOnce)
        }
        return length
    }

    private static let scalarsAtOnce = 16 << 10
}
