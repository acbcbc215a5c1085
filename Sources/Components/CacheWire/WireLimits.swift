public import CacheModel

/// Bounds of the wire protocol. docs/protocol.md section 4 is their public form.
public enum WireLimits {
    /// Longest frame that either side accepts; libzmq closes the connection on a longer one.
    package static let frameBytesMax = 1 << 20
    @inlinable package static var operationsPerMessageMax: Int { 1_024 }
    /// Longest value. A namespace may set less.
    package static let valueBytesMax = 64 << 20
    /// Longest value, or part of one, inside one frame. A longer value is sent in chunks.
    @inlinable package static var chunkBytesMax: Int { 512 << 10 }
    /// Longest time to live, in milliseconds. 2^64 − 1 is none: it never expires.
    @inlinable package static var timeToLiveMax: UInt64 { LifetimeLimits.longestMilliseconds }
    @inlinable package static var timeToLiveProblem: StaticString {
        "a time to live is at most 3153600000000 ms (36500 days), or never"
    }
    package static let traceBytesMax = 64
    package static let scanKeysMax = 1_024
    package static let replayRecordsMax = 4_096
    package static let pacedScopesMax = 16
    package static let endpointBytesMax = 255
    /// Longest message about one operation: its length is one byte.
    package static let messageBytesMax = 255
    package static let shardsPerNodeMax = 64
    package static let nodesMax = 1_000

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(CacheKey.bytesMax <= Int(UInt16.max), "a key's length travels in two bytes")
        precondition(Tag.bytesMax <= Int(UInt8.max), "a tag's length travels in one byte")
        precondition(
            Tag.perEntryMax * (2 + Tag.bytesMax) + 2 + Validator.bytesMax
                + Representation.storedBytesMax + 3 + 128 <= Int(UInt16.max),
            "the fields of one entry fit the two bytes of their length")
        precondition(
            chunkBytesMax + CacheKey.bytesMax + Int(UInt16.max) + 1_024 <= frameBytesMax,
            "the largest single operation fits a frame")
        precondition(
            InvalidationRecord.bytesMax + 1_024 <= frameBytesMax, "the largest record fits a frame")
        precondition(
            CacheKey.bytesMax + Namespace.bytesMax + 128 <= InvalidationRecord.bytesMax,
            "the largest scope fits a record")
        precondition(Validator.bytesMax <= Int(UInt8.max), "an ETag's length travels in one byte")
        precondition(valueBytesMax <= Int(UInt32.max), "a value's length travels in four bytes")
    }
}
