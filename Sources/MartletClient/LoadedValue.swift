/// What a loading closure got from the origin, and how to store it.
public struct LoadedValue: Sendable {
    public var bytes: [UInt8]
    /// Its lifetime, tags, version and ETag.
    public var options: StoreOptions

    public init(_ bytes: [UInt8], options: StoreOptions = StoreOptions()) {
        self.bytes = bytes
        self.options = options
    }
}
