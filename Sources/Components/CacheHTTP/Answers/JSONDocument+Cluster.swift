package import CacheModel

extension JSONDocument {
    /// The member that says of which cluster the positions beside it are; none where that is not
    /// known.
    package static func members(of cluster: ClusterID) -> [Member] {
        cluster == .none ? [] : [("cluster", .text(cluster.description))]
    }
}
