public import ByteCoding
public import CacheModel

/// One store inside a SET, as a view into its frame.
///
///     offset  size  field
///          0     2  keyBytes     1 … 4 096
///          2     2  options      bit 0 renew
///          4     2  fieldsBytes
///          6     2  reserved
///          8     8  ttl          milliseconds; 0 the namespace's default, 2^64 − 1 never
///         16     4  valueBytes   0 … 524 288
///         20     4  reserved
///         24     …  key, fields, value
///
///     field  81 version 8 · 82 etag 1–255 · 83 tag 1–255, repeats · 84 token 32
///            85 upload: id 8, total bytes 4
///            06 content type · 87 content encoding · 08 content language, 1–255 each
public struct SetOperation {
    /// Options of a store.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt16

        @inlinable
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The origin confirms the value of this ETag or version: no value follows, the stored one
        /// is valid again.
        @inlinable package static var renew: Options { Options(rawValue: 1) }
        @usableFromInline package static var known: UInt16 { 1 }
    }

    public enum FieldID {
        @usableFromInline package static let version: UInt8 = 0x81
        @usableFromInline package static let etag: UInt8 = 0x82
        @usableFromInline package static let tag: UInt8 = 0x83
        @usableFromInline package static let token: UInt8 = 0x84
        @usableFromInline package static let upload: UInt8 = 0x85
    }

    /// A value that was sent before, in chunks.
    public struct Upload: Hashable, Sendable {
        @usableFromInline package var id: UInt64
        @usableFromInline package var totalBytes: Int

        @inlinable
        package init(id: UInt64, totalBytes: Int) {
            self.id = id
            self.totalBytes = totalBytes
        }
    }

    package static let ttlDefault: UInt64 = 0
    package static let ttlNever = UInt64.max

    @usableFromInline package var options: Options
    @usableFromInline package var key: UnsafeRawBufferPointer
    @usableFromInline package var value: UnsafeRawBufferPointer
    /// Milliseconds; see ``ttlDefault`` and ``ttlNever``.
    @usableFromInline package var timeToLive: UInt64
    @usableFromInline package var version: Version = .none
    @usableFromInline package var etag: UnsafeRawBufferPointer
    @usableFromInline package var token: FillToken?
    @usableFromInline package var upload: Upload?
    /// All fields, if some are of the representation; otherwise empty.
    @usableFromInline package var described: UnsafeRawBufferPointer
    /// The limit that this operation violates, if any: refuse it, and serve the others.
    @usableFromInline package var problem: StaticString?

    /// Decodes one store. Its tags are appended to `tags`, which the caller clears before.
    @inlinable
    package init(
        decoding reader: inout ByteReader, tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        let keyBytes = Int(try reader.next(UInt16.self))
        let rawOptions = try reader.next(UInt16.self)
        guard rawOptions & ~Options.known == 0 else {
            throw WireRefusal(.malformed, "an option of SET is not known")
        }
        options = Options(rawValue: rawOptions)
        let fieldsBytes = Int(try reader.next(UInt16.self))
        guard try reader.next(UInt16.self) == 0 else { throw .reserved }
        timeToLive = try reader.next(UInt64.self)
        let valueBytes = Int(try reader.next(UInt32.self))
        guard try reader.next(UInt32.self) == 0 else { throw .reserved }
        key = try reader.take(keyBytes)
        etag = UnsafeRawBufferPointer(start: nil, count: 0)
        described = UnsafeRawBufferPointer(start: nil, count: 0)
        let fields = try reader.take(fieldsBytes)
        value = try reader.take(valueBytes)
        if fields.count > 0 { try decodeFields(ByteReader(fields), tags: &tags) }
        checkLimits()
        if options.contains(.renew) { checkRenewal(hasTags: !tags.isEmpty) }
    }

    @usableFromInline
    package mutating func checkRenewal(hasTags: Bool) {
        if value.count > 0 || upload != nil {
            problem = "a renewal has no value: the one that is there stays"
        } else if hasTags {
            problem = "a renewal has no tags: those of the entry stay"
        } else if token == nil {
            problem = "a renewal has the token of the miss before it"
        } else if etag.isEmpty && version == .none {
            problem = "a renewal names the ETag or the version that still holds"
        }
    }

    @inlinable
    package mutating func checkLimits() {
        if key.count < 1 || key.count > CacheKey.bytesMax {
            problem = "a key has 1 to 4096 bytes"
        } else if value.count > WireLimits.chunkBytesMax {
            problem = "a value of more than 524288 bytes travels in chunks"
        } else if timeToLive != .max && timeToLive > WireLimits.timeToLiveMax {
            problem = WireLimits.timeToLiveProblem
        } else if upload != nil && value.count > 0 {
            problem = "a store has a value or an upload, not both"
        } else if etag.count > 0 && etag[0] == 0 {
            problem = "an ETag does not begin with a zero byte"
        }
    }
}
