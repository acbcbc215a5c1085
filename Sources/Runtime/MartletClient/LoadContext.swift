public import CacheModel

/// The arguments of a loading closure.
public struct LoadContext: Sendable {
    /// Whether the cache will store the value: this caller holds the load lease. `false` if the
    /// cache is unreachable, or if another caller took too long to load the same key.
    public let willStore: Bool
    /// The ETag of a cached value that is hidden because it may be outdated. Send it to the origin,
    /// and return ``LoadedValue/unchanged(options:)`` if the origin confirms it. `nil` if there is
    /// none.
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
