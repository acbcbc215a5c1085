public import CacheModel

/// The value that a loading closure got from the origin, and how to store it.
public struct LoadedValue: Sendable {
    public var bytes: [UInt8]
    /// Its lifetime, tags, version, ETag and representation.
    public var options: StoreOptions
    /// Whether the origin confirmed the cached value.
    let isUnchanged: Bool

    /// - Parameter value: text, bytes, or a type of your own.
    public init(_ value: some CacheValue, options: StoreOptions = StoreOptions()) {
        bytes = value.cacheBytes
        self.options = options
        isUnchanged = false
    }

    private init(unchanged options: StoreOptions) {
        bytes = []
        self.options = options
        isUnchanged = true
    }

    /// The origin confirms the value with the ETag or version in ``LoadContext``. The cache renews
    /// its own copy, so the bytes need not travel.
    ///
    /// The cache may have lost the value meanwhile, or the value was invalidated after the origin
    /// was asked. Then the closure is called once more, and has nothing to compare with.
    ///
    /// - Precondition: ``LoadContext/mayBeUnchanged``.
    /// - Parameter options: its new lifetime, and the type and language that the origin says anew;
    ///   tags, version, ETag and encoding stay as they are.
    public static func unchanged(options: StoreOptions = StoreOptions()) -> LoadedValue {
        LoadedValue(unchanged: options)
    }
}

/// The arguments of a loading closure.
public struct LoadContext: Sendable {
    /// Whether the cache will store the value: this caller holds the load lease. `false` if the
    /// cache is unreachable, or if another caller took too long to load the same key.
    public let willStore: Bool
    /// The ETag of a cached value that is hidden because it may be outdated. Send it to the origin,
    /// and return ``LoadedValue/unchanged(options:)`` if the origin confirms it. `nil` if there is
    /// none.
    public let etag: Validator?
    /// The version of that value; `Version.none` if there is none.
    public let version: Version

    /// Whether ``LoadedValue/unchanged(options:)`` may be returned.
    public var mayBeUnchanged: Bool { etag != nil || version != .none }

    init(willStore: Bool, etag: Validator? = nil, version: Version = .none) {
        self.willStore = willStore
        self.etag = etag
        self.version = version
    }
}

/// How to load a value on a miss.
public struct LoadOptions: Hashable, Sendable {
    /// Whether a stale value is good enough. Otherwise it counts as a miss.
    public var allowsStale = false
    /// Other options of the read. Its timeout bounds the read, the store and the wait for another
    /// caller's load, each by itself.
    public var read = ReadOptions()

    public init() {}
}
