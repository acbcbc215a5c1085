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
