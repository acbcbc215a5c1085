package import CacheModel

extension JSONDocument {
    /// What is said of a value's bytes; nothing where nothing is.
    package static func members(of representation: Representation) -> [Member] {
        [
            ("content_type", representation.contentType),
            ("content_encoding", representation.contentEncoding),
            ("content_language", representation.contentLanguage),
        ].compactMap { name, field in field.map { (name, .text($0.text)) } }
    }
}
