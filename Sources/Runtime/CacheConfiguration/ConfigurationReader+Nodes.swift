import CacheLoading
import CacheModel

extension ConfigurationReader {
    /// The nodes, in order, without those that have no usable name.
    ///
    /// - Parameter mayBeNone: whether the list may be left out or empty.
    mutating func readNodes(_ root: MappingReader, mayBeNone: Bool) -> [NodeSettings] {
        let given = root.entry("nodes")?.value
        if mayBeNone, given?.isNothing ?? true || given?.sequence?.isEmpty == true { return [] }
        let list = root.list(
            of: "node", in: "a cluster", key: "id", example: "id: n1",
            max: ConfigurationLimits.nodesMax)
        guard let list else { return [] }
        var names: [NodeID: Int] = [:]
        var nodes: [NodeSettings] = []
        for (index, node) in list.enumerated() {
            guard let reader = MappingReader(node, path: "nodes[\(index)]", problems),
                let settings = readNode(reader)
            else { continue }
            nodes.append(settings)
            guard let first = names.updateValue(index, forKey: settings.id) else { continue }
            reader.add(
                "id", "the name \(settings.id) belongs to nodes[\(first)] already; give another")
        }
        return nodes
    }

    private mutating func readNode(_ reader: MappingReader) -> NodeSettings? {
        reader.refuseUnknown([
            "id", "shards", "weight", "memory", "entries-max", "eviction", "memory-pressure",
            "spin", "io-threads", "warm-up", "warm-up-keys", "warm-up-rate", "warm-up-bytes",
            "disk", "disk-directory", "disk-reads", "disk-write-limit", "disk-free",
            "queue-directory", "http", "sample-log", "port", "endpoints",
        ])
        let id = readID(reader, of: "node", example: "n1")
        // A node without a usable name is read on under another, to find its other problems.
        guard let stand = id ?? NodeID("unnamed") else { return nil }
        var settings = NodeSettings(id: stand)
        settings.shards = reader.count(
            "shards", default: settings.shards, in: ConfigurationLimits.shards)
        settings.weight = reader.value(
            "weight", "a weight such as 1", settings.weight
        ) { text throws(TextProblem) in try WeightText.parse(text) }
        settings.memory = reader.byteSize(
            "memory", default: settings.memory, in: 1...ConfigurationLimits.memoryBytesMax)
        let needed = settings.shards * ConfigurationLimits.memoryBytesPerShardMin
        if settings.memory < needed {
            reader.add(
                "memory",
                "\(ByteSizeText.format(settings.memory)) is too little for \(settings.shards) "
                    + "shards; give at least \(ByteSizeText.format(needed))")
        }
        settings.entriesMax = reader.entriesMax("entries-max", shards: settings.shards)
        settings.eviction = reader.choice("eviction", default: settings.eviction)
        settings.memoryPressure = reader.choice(
            "memory-pressure", default: settings.memoryPressure)
        settings.spin = reader.duration(
            "spin", default: settings.spin, in: ConfigurationLimits.spin)
        settings.ioThreads = reader.count(
            "io-threads", default: settings.ioThreads, in: ConfigurationLimits.ioThreads)
        settings.warmUp = readWarmUp(reader)
        settings.disk = readDisk(reader, settings)
        settings.queueDirectory = readQueueDirectory(reader)
        settings.http = readHTTP(reader)
        settings.sampleEvery = reader.value(
            "sample-log", "a sample such as 1/1000, or off", nil, parse: SampleText.parse)
        readPlaces(reader, into: &settings)
        return id == nil ? nil : settings
    }

    private func readWarmUp(_ reader: MappingReader) -> WarmUpSettings {
        var settings = WarmUpSettings()
        settings.source = reader.choice("warm-up", default: settings.source)
        if reader.entry("warm-up-keys") != nil {
            settings.keysMax = reader.count(
                "warm-up-keys", default: ConfigurationLimits.warmUpKeys.upperBound,
                in: ConfigurationLimits.warmUpKeys)
        }
        settings.perSecond = reader.count(
            "warm-up-rate", default: settings.perSecond, in: ConfigurationLimits.warmUpRate)
        settings.bytesPerSecond = reader.byteSize(
            "warm-up-bytes", default: settings.bytesPerSecond,
            in: ConfigurationLimits.warmUpBytes)
        return settings
    }

    /// The name of a node or of another thing of this noun; `nil`, with a problem, if it has none.
    func readID(_ reader: MappingReader, of noun: String, example: String) -> NodeID? {
        guard reader.entry("id") != nil else {
            reader.add(
                "id", "the \(noun) has no name; give one, for example \"id: \(example)\"")
            return nil
        }
        guard let text = reader.text("id", expected: "a \(noun)'s name") else { return nil }
        if let id = NodeID(text) { return id }
        reader.add(
            "id",
            "\(TextProblem.quote(text)) is not a name; use 1 to 64 of a-z A-Z 0-9 . _ -")
        return nil
    }

    /// Where the shards are: a port, a list of endpoints, or neither.
    private mutating func readPlaces(_ reader: MappingReader, into settings: inout NodeSettings) {
        if reader.entry("port") != nil {
            if reader.entry("endpoints") != nil {
                reader.add("port", "endpoints are given too; remove one of the two")
                return
            }
            readPort(reader, into: &settings)
        }
        guard let entry = reader.entry("endpoints") else { return }
        guard let list = entry.value.sequence else {
            reader.add(
                "endpoints",
                "here must stand a list, one endpoint for each shard; "
                    + "found \(entry.value.kindForPeople)")
            return
        }
        guard list.count == settings.shards else {
            reader.add(
                "endpoints",
                "each shard has one endpoint; found \(list.count) for shards: \(settings.shards)")
            return
        }
        settings.endpoints = list.enumerated().compactMap { index, node in
            let path = "\(reader.path).endpoints[\(index)]"
            let expected = "an endpoint such as tcp://127.0.0.1:7402"
            guard let text = reader.text(node, path: path, expected: expected) else { return nil }
            return claim(text, path: path, place: node.place)?.text
        }
    }

    private mutating func readPort(_ reader: MappingReader, into settings: inout NodeSettings) {
        // A wrong port must not make its default collide with others.
        let port = reader.count("port", default: 0, in: ConfigurationLimits.ports)
        guard port > 0 else { return }
        guard port + settings.shards - 1 <= ConfigurationLimits.ports.upperBound else {
            reader.add(
                "port",
                "there are no \(settings.shards) ports from \(port) on; give a smaller one")
            return
        }
        settings.port = UInt16(port)
        let path = MappingReader.join(reader.path, "port")
        for endpoint in settings.shardEndpoints ?? [] {
            _ = claim(endpoint, path: path, place: reader.place(of: "port"))
        }
    }
}
