package import CacheModel

/// Several values that are to be stored, each by itself.
package struct StoreBatch: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package var order: StoreOrder
        package var value: [UInt8]
    }

    package var items: [Item]

    static let member = "stores"

    /// Reads `stores` of a body.
    init(_ namespace: Namespace, _ members: inout BodyMembers) throws(Problem) {
        items = []
        for var object in try members.objects(Self.member) {
            items.append(try Self.item(namespace, &object))
        }
        guard (1...BatchOrder.keysMax).contains(items.count) else {
            throw Problem(
                .malformedBody, "\(Self.member) has 1 to \(BatchOrder.keysMax) values; send several"
            )
        }
        guard Set(items.map(\.order.key)).count == items.count else {
            throw Problem(.malformedBody, "\(Self.member) names a key twice; store each once")
        }
    }

    private static func item(
        _ namespace: Namespace, _ object: inout BodyMembers
    ) throws(Problem) -> Item {
        let key = try CacheKey(bytes: try object.bytes("key"))
            .or(.malformedBody, "key: each has 1 to \(CacheKey.bytesMax) bytes")
        let value = try object.bytes("value")
        var order = StoreOrder(namespace, key)
        order.lifetime = try object.lifetime("ttl_ms")
        order.tags = try tags(&object)
        order.version = try object.version("version") ?? .none
        if let text = try object.text("etag") {
            order.etag = try StoreOrder.validator(text)
                .or(.malformedBody, "etag is \(StoreOrder.etagForm)")
        }
        order.representation = try RepresentationText.representation(in: &object)
        if let text = try object.text("token") {
            order.right = try LoadRight(text)
                .or(.malformedBody, "token is what a batch with keys, or a GET, gave")
        }
        try object.end()
        return Item(order: order, value: value)
    }

    private static func tags(_ object: inout BodyMembers) throws(Problem) -> [Tag] {
        var tags: [Tag] = []
        for tag in try object.names("tags", upTo: Tag.bytesMax, { Tag(bytes: $0) })
        where !tags.contains(tag) {
            tags.append(tag)
        }
        guard tags.count <= Tag.perEntryMax else {
            throw Problem(.malformedBody, "a value has at most \(Tag.perEntryMax) tags")
        }
        return tags
    }
}

/// What stands in the body of `POST /v1/NAMESPACE:batch`.
package enum BatchBody: Hashable, Sendable {
    case read(BatchOrder)
    case store(StoreBatch)

    package init(
        _ namespace: Namespace, _ terms: ReadTerms, body: [UInt8]
    ) throws(Problem) {
        var members = try BodyMembers(body)
        guard members.has(StoreBatch.member) else {
            self = .read(try BatchOrder(namespace, terms, &members))
            return
        }
        self = .store(try StoreBatch(namespace, &members))
        try members.end()
    }
}

/// Several keys that are asked for at once.
package struct BatchOrder: Hashable, Sendable {
    package var namespace: Namespace
    package var keys: [CacheKey]
    package var terms: ReadTerms

    /// Most keys of one.
    package static let keysMax = 100
    /// Longest body of one, in bytes.
    package static let bodyBytesMax = 1 << 20
    /// Most bytes of values in one answer, as they are written there: JSON takes up to six for one.
    /// What is beyond is left out and said.
    package static let valueBytesMax = 8 << 20

    package init(
        _ namespace: Namespace, _ terms: ReadTerms, body: [UInt8]
    ) throws(Problem) {
        var members = try BodyMembers(body)
        try self.init(namespace, terms, &members)
    }

    /// Reads `keys` of a body that has nothing else.
    init(
        _ namespace: Namespace, _ terms: ReadTerms, _ members: inout BodyMembers
    ) throws(Problem) {
        let keys = try members.names("keys", upTo: CacheKey.bytesMax) { CacheKey(bytes: $0) }
        try members.end()
        guard (1...Self.keysMax).contains(keys.count) else {
            throw Problem(.malformedBody, "keys has 1 to \(Self.keysMax) keys; ask several times")
        }
        // One long value would be held once for each time that it is named.
        guard Set(keys).count == keys.count else {
            throw Problem(.malformedBody, "keys names a key twice; ask for each once")
        }
        self.namespace = namespace
        self.keys = keys
        self.terms = terms
    }
}
