public import ByteCoding
public import CacheModel

/// One lookup inside a GET, as a view into its frame.
///
///     offset  size  field
///          0     2  keyBytes   1 … 4 096
///          2     2  options    1 token, 2 details, 4 allowStale, 8 range, 16 prefetch
///          4    16  only with range: identity 8, offset 4, length 4
///             …     key
public struct GetOperation {
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt16

        @inlinable
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Return a fill token on a miss.
        @inlinable package static var token: Options { Options(rawValue: 1) }
        /// Add version, ETag, tags and fill position to a hit.
        @inlinable package static var details: Options { Options(rawValue: 2) }
        /// A stale value is accepted.
        @inlinable package static var allowStale: Options { Options(rawValue: 4) }
        /// Only a part of a large value is requested.
        @inlinable package static var range: Options { Options(rawValue: 8) }
        /// No reader waits for the value: load it if it is not fresh, and answer without it.
        @inlinable package static var prefetch: Options { Options(rawValue: 16) }
        @usableFromInline package static var known: UInt16 { 31 }
    }

    /// A part of a value that does not fit one frame.
    public struct Part: Hashable, Sendable {
        /// Identifies the stored value; another value under the same key has another identity.
        @usableFromInline package var identity: UInt64
        @usableFromInline package var offset: UInt32
        @usableFromInline package var length: UInt32

        /// Whether the length is within bounds; if not, refuse this operation.
        package var isValid: Bool { (1...UInt32(WireLimits.chunkBytesMax)).contains(length) }

        @inlinable
        package init(identity: UInt64, offset: UInt32, length: UInt32) {
            self.identity = identity
            self.offset = offset
            self.length = length
        }
    }

    /// An encoded lookup that gives no token.
    package static func withoutToken(_ lookup: [UInt8]) -> [UInt8] {
        precondition(lookup.count > 4, "a lookup has a head and a key")
        var lookup = lookup
        lookup[2] &= ~UInt8(truncatingIfNeeded: Options.token.rawValue)
        return lookup
    }

    @usableFromInline package var options: Options
    @usableFromInline package var part: Part?
    /// Any length that fits its two bytes; see ``isKeyValid``.
    @usableFromInline package var key: UnsafeRawBufferPointer

    /// Whether the key's length is within bounds; if not, refuse this operation.
    @inlinable
    package var isKeyValid: Bool { key.count >= 1 && key.count <= CacheKey.bytesMax }

    @inlinable
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let keyBytes = Int(try reader.next(UInt16.self))
        let rawOptions = try reader.next(UInt16.self)
        guard rawOptions & ~Options.known == 0 else {
            throw WireRefusal(.malformed, "an option of GET is not known")
        }
        options = Options(rawValue: rawOptions)
        part = nil
        if options.contains(.range) { part = try Part(decoding: &reader) }
        key = try reader.take(keyBytes)
    }

    @inlinable
    package static func append(
        key: UnsafeRawBufferPointer, options: Options, part: Part? = nil,
        to writer: inout ByteWriter
    ) {
        writer.append(UInt16(key.count))
        writer.append(options.union(part == nil ? [] : .range).rawValue)
        if let part {
            writer.append(part.identity)
            writer.append(part.offset)
            writer.append(part.length)
        }
        writer.append(key)
    }
}

extension GetOperation.Part {
    @usableFromInline
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let identity = try reader.next(UInt64.self)
        let offset = try reader.next(UInt32.self)
        let length = try reader.next(UInt32.self)
        self.init(identity: identity, offset: offset, length: length)
    }
}
