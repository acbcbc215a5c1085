/// What tells one value of a key from another, without the value.
public struct ValueImprint: Hashable, Sendable {
    public var valueBytes: Int
    /// XXH64 of the value.
    public var digest: UInt64
    /// ``Version/none`` where none is known.
    public var version: Version
    public var etag: Validator?

    public init(valueBytes: Int, digest: UInt64, version: Version = .none, etag: Validator? = nil) {
        self.valueBytes = valueBytes
        self.digest = digest
        self.version = version
        self.etag = etag
    }

    /// Whether these are the same bytes, by whatever names.
    public func isSameValue(as other: Self) -> Bool {
        valueBytes == other.valueBytes && digest == other.digest
    }
}
