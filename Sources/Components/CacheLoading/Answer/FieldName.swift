/// The HTTP fields that loading reads or sends, in their usual spelling.
///
/// Names are compared case-insensitively.
enum FieldName {
    // Read from an answer.
    static let age = "Age"
    static let cacheControl = "Cache-Control"
    static let cacheGroups = "Cache-Groups"
    static let cacheTag = "Cache-Tag"
    static let contentEncoding = "Content-Encoding"
    static let contentLanguage = "Content-Language"
    static let contentType = "Content-Type"
    static let date = "Date"
    static let entityTag = "ETag"
    static let expires = "Expires"
    static let lastModified = "Last-Modified"
    static let pragma = "Pragma"
    static let retryAfter = "Retry-After"
    static let surrogateKey = "Surrogate-Key"
    static let vary = "Vary"

    // Sent with a request.
    static let ifModifiedSince = "If-Modified-Since"
    static let ifNoneMatch = "If-None-Match"

    /// Fields of which something is stored with the entry. The field of the version, which the
    /// namespace names, is one more.
    static let kept = [
        entityTag, lastModified, surrogateKey, cacheTag, cacheGroups, contentType, contentEncoding,
        contentLanguage,
    ]
}
