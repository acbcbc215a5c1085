public import CacheModel

/// What a loading closure is told.
public struct LoadContext: Sendable {
    /// Whether the cache will take the value: this caller holds the load lease. `false` if the
    /// cache cannot be reached or another caller took too long over the same key.
    public let willStore: Bool
    /// The ETag of a value that the cache still has and does not show, because it may be out of
    /// date: ask the origin by it, and return ``LoadedValue/unchanged(options:)`` if it still
    /// holds. `nil` if there is none.
    public let etag: Validator?
    /// The version of that value; ``CacheModel/Version/none`` if there is none.
    public let version: Version

    /// Whether ``LoadedValue/unchanged(options:)`` may be returned.
    public var mayBeUnchanged: Bool { etag != nil || version != .none }

    init(willStore: Bool, etag: Validator? = nil, version: Version = .none) {
        self.willStore = willStore
        self.etag = etag
        self.version = version
    }
}
