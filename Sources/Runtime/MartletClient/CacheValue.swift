/// A type of values that a cache keeps as bytes: `String` and `[UInt8]`, and your own.
///
/// For `Codable` types use ``CacheClient/set(_:json:tags:lifetime:in:)`` and its counterparts.
public protocol CacheValue: Sendable {
    /// What is stored. At most 128 MiB.
    var cacheBytes: [UInt8] { get }

    /// - Returns: `nil` if the bytes are no such value, as those of an older release may be.
    init?(cacheBytes: [UInt8])
}

extension String: CacheValue {
    /// Its UTF-8.
    public var cacheBytes: [UInt8] { Array(utf8) }

    public init?(cacheBytes: [UInt8]) {
        guard let text = String(validating: cacheBytes, as: UTF8.self) else { return nil }
        self = text
    }
}

extension [UInt8]: CacheValue {
    public var cacheBytes: [UInt8] { self }

    public init?(cacheBytes: [UInt8]) { self = cacheBytes }
}
