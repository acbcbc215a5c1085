public import CacheModel

/// One of several values that are stored in one call.
public struct StoreItem: Sendable {
    public var key: CacheKey
    public var value: [UInt8]
    public var options: StoreOptions

    public init(_ key: CacheKey, _ value: [UInt8], options: StoreOptions = StoreOptions()) {
        self.key = key
        self.value = value
        self.options = options
    }
}
