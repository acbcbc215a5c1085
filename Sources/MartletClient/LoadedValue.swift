/// What a loading closure got from the origin, and how to store it.
public struct LoadedValue: Sendable {
    public var bytes: [UInt8]
    /// Its lifetime, tags, version, ETag and representation.
    public var options: StoreOptions
    /// The origin said that what the cache has still holds.
    let isUnchanged: Bool

    public init(_ bytes: [UInt8], options: StoreOptions = StoreOptions()) {
        self.bytes = bytes
        self.options = options
        isUnchanged = false
    }

    private init(unchanged options: StoreOptions) {
        bytes = []
        self.options = options
        isUnchanged = true
    }

    /// The origin says that the value whose ETag or version ``LoadContext`` told still holds: the
    /// cache's own is renewed, and its bytes need not travel.
    ///
    /// If it turns out that the cache has lost it meanwhile, or that it was invalidated after the
    /// origin was asked, the closure is called once more, and then has nothing to compare with.
    ///
    /// - Precondition: ``LoadContext/mayBeUnchanged``.
    /// - Parameter options: its new lifetime, and the type and language that the origin says anew;
    ///   tags, version, ETag and encoding stay as they are.
    public static func unchanged(options: StoreOptions = StoreOptions()) -> LoadedValue {
        LoadedValue(unchanged: options)
    }
}
