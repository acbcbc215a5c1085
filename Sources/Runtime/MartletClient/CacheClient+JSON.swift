import CacheModel
import EssentialFoundation

/// Values of `Codable` types, as JSON. Names are checked as in the calls with text.
extension CacheClient {
    /// The value of a key, read as JSON.
    ///
    /// - Returns: `nil` if the key has none.
    /// - Throws: ``CacheError/Code/unreadableValue`` if it has one of another type.
    public func get<Value: Decodable>(
        _ key: String, json type: Value.Type, in namespace: String = "default"
    ) async throws(CacheError) -> Value? {
        guard let bytes = try await get(key, as: [UInt8].self, in: namespace) else { return nil }
        return try Self.decoded(bytes, of: CacheKey.named(key))
    }

    /// Stores a value as JSON.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` too, if it has no form in JSON.
    @discardableResult
    public func set(
        _ key: String, json value: some Encodable, tags: [String] = [],
        lifetime: StoreOptions.Lifetime = .namespaceDefault, in namespace: String = "default"
    ) async throws(CacheError) -> StoreResult {
        let bytes = try Self.encoded(value, for: CacheKey.named(key))
        return try await set(key, bytes, tags: tags, lifetime: lifetime, in: namespace)
    }

    /// The value of a key, or else that of `origin`, which is stored as JSON.
    ///
    /// - Throws: what `origin` throws, and ``CacheError/Code/unreadableValue`` if the key has a
    ///   value of another type.
    public func load<Value: Codable & Sendable>(
        json key: String, tags: [String] = [],
        lifetime: StoreOptions.Lifetime = .namespaceDefault, in namespace: String = "default",
        from origin: @Sendable () async throws -> Value
    ) async throws -> Value {
        let name = try CacheKey.named(key)
        let bytes: [UInt8] = try await load(key, tags: tags, lifetime: lifetime, in: namespace) {
            try Self.encoded(try await origin(), for: name)
        }
        return try Self.decoded(bytes, of: name)
    }

    private static func encoded(
        _ value: some Encodable, for key: CacheKey
    ) throws(CacheError) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(value))
        } catch {
            throw CacheError(.invalidArgument, "the value for \(key) has no form in JSON: \(error)")
        }
    }

    private static func decoded<Value: Decodable>(
        _ bytes: [UInt8], of key: CacheKey
    ) throws(CacheError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw .unreadable(key, "no \(Value.self) in JSON (\(error))")
        }
    }
}
