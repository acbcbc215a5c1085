/// The name of an entry: 1 to 4 096 bytes, any bytes.
///
/// This module has the types that all other modules share, and their laws of order. It is called
/// from every thread, does no expensive work, and imports nothing:
///
///     CacheKey, Namespace, Tag            names
///     Version, Validator                  the writer's order, the caller's validator
///     Epoch ─▶ LogPosition ◀─ SequenceNumber   position in the log
///     Scope ─▶ InvalidationRecord         an invalidation and its place in the log
///     FillToken                           the right to store a value read at a position
///     Instant                             one process's monotonic clock
///
/// Numbers of different meanings have different types; each states its law of order at its
/// declaration and is tested against it exhaustively on a small range.
public struct CacheKey: Hashable, Sendable {
    /// Longest key, in bytes.
    @inlinable public static var bytesMax: Int { 4_096 }

    public let bytes: [UInt8]

    /// - Returns: `nil` unless `bytes` holds 1 to 4 096 bytes.
    public init?(bytes: [UInt8]) {
        guard (1...Self.bytesMax).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// - Precondition: there are 1 to 4 096 bytes.
    init(checked bytes: [UInt8]) {
        assert((1...Self.bytesMax).contains(bytes.count), "a key has 1 to 4096 bytes")
        self.bytes = bytes
    }

    /// The key with the UTF-8 of `text` as its bytes.
    ///
    /// - Returns: `nil` unless that is 1 to 4 096 bytes.
    public init?(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }
}

extension CacheKey: CustomStringConvertible {
    /// The key as text, for people; bytes that are not UTF-8 show as replacement characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
