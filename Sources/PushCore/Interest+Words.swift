import CacheModel

/// Interests as they are asked for, with a sentence for what is wrong.
extension Interest {
    /// - Parameters:
    ///   - kind: `all`, `namespace`, `key`, `prefix` or `tag`.
    ///   - name: its bytes; of `all` none.
    ///   - namespace: `nil` is the default one.
    package init(
        kind: String, name: [UInt8], namespace: String?
    ) throws(PushRefusal) {
        let room = try namespace.map { text throws(PushRefusal) in try Self.room(text) }
        switch kind {
        case "all": self = .everything
        case "namespace": self = .namespace(try Self.room(String(decoding: name, as: UTF8.self)))
        case "key":
            guard let key = CacheKey(bytes: name) else {
                throw PushRefusal(.badRequest, "a key has 1 to \(CacheKey.bytesMax) bytes")
            }
            self = .key(key, in: room ?? .default)
        case "prefix":
            guard (1...CacheKey.bytesMax).contains(name.count) else {
                let sentence =
                    "a prefix has 1 to \(CacheKey.bytesMax) bytes; "
                    + "for all keys of a namespace ask for the namespace"
                throw PushRefusal(.badRequest, sentence)
            }
            self = .prefix(name, in: room ?? .default)
        case "tag":
            guard let tag = Tag(bytes: name) else {
                throw PushRefusal(.badRequest, "a tag has 1 to \(Tag.bytesMax) bytes")
            }
            self = .tag(tag, in: room ?? .default)
        default:
            throw PushRefusal(
                .badRequest, "a kind is all, namespace, key, prefix or tag, not \(kind.prefix(32))")
        }
    }

    /// As in a URL: `NAME` in the default namespace or `NAMESPACE/NAME`; of a namespace its name.
    /// What a name has before its first slash is its namespace: one that has a slash itself is
    /// written with the namespace.
    ///
    /// - Parameter text: its bytes, percent signs decoded.
    package init(kind: String, text: [UInt8]) throws(PushRefusal) {
        guard kind != "namespace", kind != "all",
            let slash = text.firstIndex(of: UInt8(ascii: "/"))
        else {
            try self.init(kind: kind, name: text, namespace: nil)
            return
        }
        try self.init(
            kind: kind, name: Array(text[(slash + 1)...]),
            namespace: String(decoding: text[..<slash], as: UTF8.self))
    }

    private static func room(_ text: String) throws(PushRefusal) -> Namespace {
        guard let room = Namespace(text) else {
            throw PushRefusal(
                .badRequest,
                "a namespace has 1 to \(Namespace.bytesMax) of a-z A-Z 0-9 . _ -")
        }
        return room
    }

    /// The scope that covers the same.
    var scope: Scope {
        switch self {
        case .everything: Scope(.everything)
        case .namespace(let room): Scope(.namespace(room))
        case .prefix(let bytes, let room): Scope(.prefix(bytes, in: room))
        case .key(let key, let room): Scope(.key(key, in: room))
        case .tag(let tag, let room): Scope(.tag(tag, in: room))
        }
    }
}
