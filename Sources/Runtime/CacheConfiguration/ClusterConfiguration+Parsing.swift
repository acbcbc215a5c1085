import CacheModel

extension ClusterConfiguration {
    /// The configuration that a file's bytes say.
    ///
    /// - Parameter fileName: how the file is called in problems.
    /// - Throws: every problem of the file at once, in its order.
    /// - Complexity: O(bytes), which are at most ``ConfigurationLimits/fileBytesMax``.
    package static func parse(
        _ bytes: [UInt8], fileName: String
    ) throws(ConfigurationErrors) -> ClusterConfiguration {
        let problems = ProblemList(fileName: fileName)
        let root = try YAMLDocument.settings(bytes, least: "one node", problems)
        var reader = ConfigurationReader(problems: problems)
        let configuration = reader.read(root)
        try problems.throwIfAny()
        configuration.refuseUnservable(root, problems)
        try problems.throwIfAny()
        return configuration
    }

    /// The configuration that a file's text says, as in ``parse(_:fileName:)-([UInt8],_)``.
    package static func parse(
        _ text: String, fileName: String
    ) throws(ConfigurationErrors) -> ClusterConfiguration {
        try parse(Array(text.utf8), fileName: fileName)
    }

    /// Refuses what is right in every part and too long to be served as a whole.
    private func refuseUnservable(_ root: MappingReader, _ problems: ProblemList) {
        let limit = ConfigurationLimits.servedBytesMax
        let textBytes = yamlText().utf8.count
        if textBytes > limit {
            problems.add(
                .start, "",
                "in full the configuration has \(textBytes) bytes and must travel in one message "
                    + "of \(limit); give fewer nodes or namespaces")
        }
        let topologyBytes = nodes.reduce(0) { $0 + $1.topologyBytes }
        if topologyBytes > limit {
            problems.add(
                root.place(of: "nodes"), "nodes",
                "all endpoints together have \(topologyBytes) bytes and must travel in one "
                    + "message of \(limit); give fewer nodes or shards")
        }
    }
}

extension NodeSettings {
    /// What it takes in the topology that is served; for endpoints not yet known the length that
    /// one on loopback may have.
    fileprivate var topologyBytes: Int {
        let head = 8 + id.name.utf8.count
        let longestOnLoopback = "tcp://127.0.0.1:65535"
        guard let shardEndpoints else { return head + shards * (1 + longestOnLoopback.utf8.count) }
        return shardEndpoints.reduce(head) { $0 + 1 + $1.utf8.count }
    }
}
