/// Identifies one value of a key among others, without its bytes.
public struct ValueImprint: Hashable, Sendable {
    public var valueBytes: Int
    /// XXH64 of the value.
    public var digest: UInt64
    /// ``Version/none`` if unknown.
    public var version: Version
    public var etag: Validator?

    public init(valueBytes: Int, digest: UInt64, version: Version = .none, etag: Validator? = nil) {
        self.valueBytes = valueBytes
        self.digest = digest
        self.version = version
        self.etag = etag
    }

    /// Whether the bytes are the same, regardless of ETag and version.
    public func isSameValue(as other: Self) -> Bool {
        valueBytes == other.valueBytes && digest == other.digest
    }
}
