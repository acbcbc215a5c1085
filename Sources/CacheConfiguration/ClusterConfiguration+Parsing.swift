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
        refuseTooLong(bytes.count, problems)
        try problems.throwIfAny()
        if let place = firstDamage(bytes) {
            problems.add(place, "", "this is not UTF-8; save the file in UTF-8")
        }
        try problems.throwIfAny()
        return try parse(String(decoding: bytes, as: UTF8.self), fileName: fileName)
    }

    /// The configuration that a file's text says, as in ``parse(_:fileName:)-([UInt8],_)``.
    package static func parse(
        _ text: String, fileName: String
    ) throws(ConfigurationErrors) -> ClusterConfiguration {
        let problems = ProblemList(fileName: fileName)
        refuseTooLong(text.utf8.count, problems)
        try problems.throwIfAny()
        let root = YAMLDocument.read(text, problems)
        try problems.throwIfAny()
        guard let root, let mapping = MappingReader(root, path: "", problems) else {
            try problems.throwIfAny()
            preconditionFailure("a document that cannot be read has a problem")
        }
        var reader = ConfigurationReader(problems: problems)
        let configuration = reader.read(mapping)
        try problems.throwIfAny()
        configuration.refuseUnservable(mapping, problems)
        try problems.throwIfAny()
        return configuration
    }

    private static func refuseTooLong(_ byteCount: Int, _ problems: ProblemList) {
        guard byteCount > ConfigurationLimits.fileBytesMax else { return }
        problems.add(
            .start, "",
            "the file has \(byteCount) bytes; it may have "
                + "\(ByteSizeText.format(ConfigurationLimits.fileBytesMax))")
    }

    /// Where the first byte stands that cannot be UTF-8; `nil` if all can.
    private static func firstDamage(_ bytes: [UInt8]) -> SourcePlace? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var line = 1
        var column = 1
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return nil
            case .error: return SourcePlace(line: line, column: column)
            case .valid(let scalar):
                column += 1
                if Unicode.UTF8.decode(scalar) == "\n" { (line, column) = (line + 1, 1) }
            }
        }
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
