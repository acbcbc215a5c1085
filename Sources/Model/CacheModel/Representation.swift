/// The HTTP description of a value's bytes. The cache stores and returns it, and does nothing else
/// with it.
public struct Representation: Hashable, Sendable {
    /// As `Content-Type`: `text/css; charset=utf-8`.
    public var contentType: RepresentationField?
    /// As `Content-Encoding`: the codings of the bytes, such as `gzip`.
    public var contentEncoding: RepresentationField?
    /// As `Content-Language`: `de, en`.
    public var contentLanguage: RepresentationField?

    public init(
        contentType: RepresentationField? = nil, contentEncoding: RepresentationField? = nil,
        contentLanguage: RepresentationField? = nil
    ) {
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.contentLanguage = contentLanguage
    }

    /// Whether it has no fields.
    public var isEmpty: Bool {
        contentType == nil && contentEncoding == nil && contentLanguage == nil
    }

    /// The same, with type and language from a later answer about the same bytes: each field that
    /// it has replaces the old one. The encoding of the bytes stays.
    package func updated(by later: Representation) -> Representation {
        Representation(
            contentType: later.contentType ?? contentType, contentEncoding: contentEncoding,
            contentLanguage: later.contentLanguage ?? contentLanguage)
    }
}

/// The stored form of a representation, in memory, on disk and in the write queue: type, encoding
/// and language, each as one byte of length and its bytes. An empty one is not stored.
extension Representation {
    package static let fieldCount = 3
    /// Longest form, in bytes.
    package static let storedBytesMax = fieldCount * (1 + RepresentationField.bytesMax)

    /// Empty if it has no fields.
    package var stored: [UInt8] {
        guard !isEmpty else { return [] }
        var bytes: [UInt8] = []
        for field in [contentType, contentEncoding, contentLanguage] {
            let text = field?.text ?? ""
            bytes.append(UInt8(text.utf8.count))
            bytes += text.utf8
        }
        return bytes
    }

    /// - Returns: `nil` for bytes that ``stored`` never is. No bytes are an empty one.
    package init?(stored bytes: UnsafeRawBufferPointer) {
        self.init()
        guard !bytes.isEmpty else { return }
        guard Self.isStored(bytes) else { return nil }
        var rest = bytes[...]
        func next() -> RepresentationField? {
            let count = Int(rest.removeFirst())
            defer { rest = rest.dropFirst(count) }
            return RepresentationField(String(decoding: rest.prefix(count), as: UTF8.self))
        }
        contentType = next()
        contentEncoding = next()
        contentLanguage = next()
    }

    /// Whether these bytes are a representation that is not empty, and nothing else.
    package static func isStored(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        for _ in 0..<fieldCount {
            guard offset < bytes.count else { return false }
            let end = offset + 1 + Int(bytes[offset])
            guard end <= bytes.count,
                end == offset + 1 || RepresentationField.isLegal(bytes[(offset + 1)..<end])
            else { return false }
            offset = end
        }
        return offset == bytes.count && offset > fieldCount
    }

    /// The length of the form that begins at `start`, which must have been written.
    @inlinable
    package static func storedBytes(at start: UnsafeRawPointer) -> Int {
        var count = 1 &+ Int(start.load(as: UInt8.self))
        count &+= 1 &+ Int(start.load(fromByteOffset: count, as: UInt8.self))
        return count &+ 1 &+ Int(start.load(fromByteOffset: count, as: UInt8.self))
    }
}
