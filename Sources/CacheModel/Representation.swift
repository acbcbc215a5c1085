/// What the bytes of a value are, as HTTP says it. The cache keeps it and gives it back, and does
/// nothing else with it.
public struct Representation: Hashable, Sendable {
    /// As `Content-Type`: `text/css; charset=utf-8`.
    public var contentType: RepresentationField?
    /// As `Content-Encoding`: the codings that the bytes are in, such as `gzip`.
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

    /// Whether it says nothing.
    public var isEmpty: Bool {
        contentType == nil && contentEncoding == nil && contentLanguage == nil
    }

    /// The same, with type and language as a later answer about the same bytes says them: of each
    /// field its own, where it has one. The bytes stay in the coding that they came in.
    package func updated(by later: Representation) -> Representation {
        Representation(
            contentType: later.contentType ?? contentType, contentEncoding: contentEncoding,
            contentLanguage: later.contentLanguage ?? contentLanguage)
    }
}
