package import ByteCoding
package import CacheModel

extension JSONDocument {
    /// The member that says of which cluster the positions beside it are; none where that is not
    /// known.
    package static func members(of cluster: ClusterID) -> [Member] {
        cluster == .none ? [] : [("cluster", .text(cluster.description))]
    }

    /// What is said of a value's bytes; nothing where nothing is.
    package static func members(of representation: Representation) -> [Member] {
        [
            ("content_type", representation.contentType),
            ("content_encoding", representation.contentEncoding),
            ("content_language", representation.contentLanguage),
        ].compactMap { name, field in field.map { (name, .text($0.text)) } }
    }
}
