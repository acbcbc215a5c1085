public import CacheModel

/// Calls with names as text, for code that has keys and tags as strings. Names are checked before
/// anything is sent: a key has 1 to 4 096 bytes of UTF-8, a tag 1 to 255, a namespace 1 to 64 of
/// `a–z A–Z 0–9 . _ -`. All throw ``CacheError/Code/invalidArgument`` for others, and what the
/// calls with `CacheKey`, `Tag` and `Namespace` throw.
extension CacheClient {
    /// The value of a key.
    ///
    /// - Returns: `nil` if the key has none.
    /// - Throws: ``CacheError/Code/unreadableValue`` too, if it has one of another type.
    public func get<Value: CacheValue>(
        _ key: String, as type: Value.Type = String.self, in namespace: String = "default"
    ) async throws(CacheError) -> Value? {
        let name = try CacheKey.named(key)
        guard let found = try await get(name, in: Namespace.named(namespace)) else { return nil }
        return try Value.read(found.bytes, of: name)
    }

    /// Stores a value. Such a store is blind: see ``set(_:to:in:options:)``.
    ///
    /// - Parameters:
    ///   - tags: what it can be invalidated by, at most 64.
    ///   - lifetime: how long it is fresh.
    @discardableResult
    public func set(
        _ key: String, _ value: some CacheValue, tags: [String] = [],
        lifetime: StoreOptions.Lifetime = .namespaceDefault, in namespace: String = "default"
    ) async throws(CacheError) -> StoreResult {
        try await set(
            CacheKey.named(key), to: value.cacheBytes, in: Namespace.named(namespace),
            options: StoreOptions.named(tags, lifetime))
    }

    /// The value of a key, or else that of `origin`, which is stored: see
    /// ``load(_:in:options:from:)``.
    ///
    /// - Parameter origin: reads the value from its source.
    /// - Throws: what `origin` throws, and ``CacheError/Code/unreadableValue`` if the key has a
    ///   value of another type. No other failure of the cache: then `origin` is asked.
    public func load<Value: CacheValue>(
        _ key: String, tags: [String] = [],
        lifetime: StoreOptions.Lifetime = .namespaceDefault, in namespace: String = "default",
        from origin: @Sendable () async throws -> Value
    ) async throws -> Value {
        let (name, room) = (try CacheKey.named(key), try Namespace.named(namespace))
        let options = try StoreOptions.named(tags, lifetime)
        let found = try await load(name, in: room) { @Sendable _ in
            LoadedValue(try await origin().cacheBytes, options: options)
        }
        return try Value.read(found.bytes, of: name)
    }

    /// Removes a key everywhere.
    ///
    /// - Returns: a position at or past the removal.
    @discardableResult
    public func delete(
        _ key: String, in namespace: String = "default"
    ) async throws(CacheError) -> LogPosition {
        try await delete([CacheKey.named(key)], in: Namespace.named(namespace))
    }

    // MARK: Invalidations

    /// Makes the value of a key unusable on every node: see
    /// ``invalidate(_:wait:timeout:strength:trace:)``, as for the others below.
    @discardableResult
    public func invalidate(
        key: String, in namespace: String = "default"
    ) async throws(CacheError) -> InvalidationReceipt {
        try await invalidate([Scope(.key(CacheKey.named(key), in: Namespace.named(namespace)))])
    }

    /// Makes everything with a tag unusable.
    @discardableResult
    public func invalidate(
        tag: String, in namespace: String = "default"
    ) async throws(CacheError) -> InvalidationReceipt {
        try await invalidate(tags: [tag], in: namespace)
    }

    /// Makes everything with any of the tags unusable, in one record: all or nothing.
    @discardableResult
    public func invalidate(
        tags: [String], in namespace: String = "default"
    ) async throws(CacheError) -> InvalidationReceipt {
        let room = try Namespace.named(namespace)
        var scopes: [Scope] = []
        for tag in tags { scopes.append(Scope(.tag(try Tag.named(tag), in: room))) }
        return try await invalidate(scopes)
    }

    /// Makes every key that begins with a text unusable.
    @discardableResult
    public func invalidate(
        prefix: String, in namespace: String = "default"
    ) async throws(CacheError) -> InvalidationReceipt {
        try await invalidate([Scope(.prefix(Array(prefix.utf8), in: Namespace.named(namespace)))])
    }

    /// Makes everything in a namespace unusable.
    @discardableResult
    public func invalidate(namespace: String) async throws(CacheError) -> InvalidationReceipt {
        try await invalidate([Scope(.namespace(Namespace.named(namespace)))])
    }
}

// MARK: - Names

extension CacheKey {
    static func named(_ text: String) throws(CacheError) -> CacheKey {
        try CacheError.check(CacheKey(text), "a key", text, "1 to \(bytesMax) bytes of UTF-8")
    }
}

extension Tag {
    static func named(_ text: String) throws(CacheError) -> Tag {
        try CacheError.check(Tag(text), "a tag", text, "1 to \(bytesMax) bytes of UTF-8")
    }
}

extension Namespace {
    static func named(_ text: String) throws(CacheError) -> Namespace {
        try CacheError.check(
            Namespace(text), "a namespace", text, "1 to \(bytesMax) of a–z A–Z 0–9 . _ -")
    }
}

extension StoreOptions {
    static func named(_ tags: [String], _ lifetime: Lifetime) throws(CacheError) -> StoreOptions {
        var options = StoreOptions()
        options.lifetime = lifetime
        for tag in tags { options.tags.append(try Tag.named(tag)) }
        return options
    }
}

extension CacheValue {
    static func read(_ bytes: [UInt8], of key: CacheKey) throws(CacheError) -> Self {
        guard let value = Self(cacheBytes: bytes) else { throw .unreadable(key, "no \(Self.self)") }
        return value
    }
}

extension CacheError {
    private static let shownMax = 60

    fileprivate static func check<Name>(
        _ name: Name?, _ kind: String, _ text: String, _ rule: @autoclosure () -> String
    ) throws(CacheError) -> Name {
        if let name { return name }
        let shown = text.count > shownMax ? "\(text.prefix(shownMax))…" : text
        throw CacheError(.invalidArgument, "\"\(shown)\" is not \(kind): it has \(rule())")
    }

    /// - Parameter finding: what its bytes are not, or why they cannot be read.
    static func unreadable(_ key: CacheKey, _ finding: String) -> CacheError {
        CacheError(
            .unreadableValue,
            "the value of \(key) is \(finding): invalidate it, or use another key for the new type")
    }
}

/// A type of values that a cache keeps as bytes: `String` and `[UInt8]`, and your own.
///
/// For `Codable` types use ``CacheClient/set(_:json:tags:lifetime:in:)`` and its counterparts.
public protocol CacheValue: Sendable {
    /// What is stored. At most 128 MiB.
    var cacheBytes: [UInt8] { get }

    /// - Returns: `nil` if the bytes are no such value, as those of an older release may be.
    init?(cacheBytes: [UInt8])
}

extension String: CacheValue {
    /// Its UTF-8.
    public var cacheBytes: [UInt8] { Array(utf8) }

    public init?(cacheBytes: [UInt8]) {
        guard let text = String(validating: cacheBytes, as: UTF8.self) else { return nil }
        self = text
    }
}

extension [UInt8]: CacheValue {
    public var cacheBytes: [UInt8] { self }

    public init?(cacheBytes: [UInt8]) { self = cacheBytes }
}
