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
        guard let key = CacheKey(bytes: try object.bytes("key")) else {
            throw object.outside("key", CacheKey.bytesMax)
        }
        let value = try object.bytes("value")
        var order = StoreOrder(namespace, key)
        order.lifetime = try object.lifetime("ttl_ms")
        order.tags = try tags(&object)
        order.version = try object.version("version") ?? .none
        if let text = try object.text("etag") {
            guard let validator = StoreOrder.validator(text) else {
                throw Problem(.malformedBody, "etag is \(StoreOrder.etagForm)")
            }
            order.etag = validator
        }
        order.representation = try RepresentationText.representation(in: &object)
        if let text = try object.text("token") {
            guard let right = LoadRight(text) else {
                throw Problem(.malformedBody, "token is what a batch with keys, or a GET, gave")
            }
            order.right = right
        }
        try object.end()
        return Item(order: order, value: value)
    }

    private static func tags(_ object: inout BodyMembers) throws(Problem) -> [Tag] {
        var tags: [Tag] = []
        for bytes in try object.names("tags") {
            guard let tag = Tag(bytes: bytes) else { throw object.outside("tags", Tag.bytesMax) }
            if !tags.contains(tag) { tags.append(tag) }
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
