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
