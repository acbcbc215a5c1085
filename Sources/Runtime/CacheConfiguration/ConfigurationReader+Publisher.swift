import CacheModel

extension ConfigurationReader {
    /// The publisher's settings, or what several share; where they are wrong or missing, the
    /// defaults.
    mutating func readPublisher(
        _ root: MappingReader, _ topology: TopologyKind
    ) -> PublisherSettings {
        var settings = PublisherSettings.standard
        let isOneOfSeveral = root.entry("publishers") != nil
        guard let reader = root.mapping("publisher") else {
            guard !isOneOfSeveral else { return settings }
            _ = claim(settings.endpoint, path: "publisher.endpoint", place: root.place)
            claimDerivedLive(
                of: settings.endpoint, path: "publisher.live-endpoint", place: root.place)
            return settings
        }
        reader.refuseUnknown([
            "endpoint", "live-endpoint", "lease", "heartbeat", "failover-after", "retention", "log",
            "log-sync", "etcd", "http",
        ])
        if isOneOfSeveral {
            refuseOwn(["endpoint", "live-endpoint", "http"], reader)
        } else {
            readEndpoints(reader, into: &settings)
            settings.http = readHTTP(reader)
        }
        readTimes(reader, into: &settings)
        readFailover(reader, topology, into: &settings)
        settings.logSync = reader.choice("log-sync", default: settings.logSync)
        settings.log = readLog(reader, isOneOfSeveral: isOneOfSeveral)
        readRetention(reader, into: &settings)
        return settings
    }

    private func readTimes(_ reader: MappingReader, into settings: inout PublisherSettings) {
        settings.lease = reader.duration(
            "lease", default: settings.lease, in: ConfigurationLimits.lease)
        settings.heartbeat = reader.duration(
            "heartbeat", default: settings.heartbeat, in: ConfigurationLimits.heartbeat)
        guard settings.heartbeat >= settings.lease else { return }
        reader.add(
            reader.entry("heartbeat") == nil ? "lease" : "heartbeat",
            "a heartbeat of \(DurationText.format(settings.heartbeat)) does not keep a lease "
                + "of \(DurationText.format(settings.lease)) alive; make the heartbeat shorter")
    }

    private func readFailover(
        _ reader: MappingReader, _ topology: TopologyKind, into settings: inout PublisherSettings
    ) {
        let name = "failover-after"
        settings.failoverAfter = reader.duration(
            name, default: settings.failoverAfter, in: ConfigurationLimits.failoverAfter)
        guard topology != .slots, reader.entry(name) != nil else { return }
        reader.add(
            name,
            "keys go from one node to others only with \"topology: slots\"; give that, or remove "
                + "the line")
    }

    /// Where the log is kept. What is wrong with a log on etcd leaves one on etcd, so that no other
    /// setting is called wrong for it.
    mutating func readLog(_ reader: MappingReader, isOneOfSeveral: Bool) -> LogStorage {
        let text = reader.directory(
            "log", expected: "a directory such as /var/lib/martlet/log, or \(LogStorage.etcdWord)")
        guard text == LogStorage.etcdWord else {
            if reader.entry("etcd") != nil {
                reader.add(
                    "etcd",
                    "these are settings of a log on etcd; give \"log: etcd\" too, or remove them")
            }
            return text.map { .directory($0) } ?? .memory
        }
        if reader.entry("log-sync") != nil {
            reader.add(
                "log-sync",
                "etcd synchronizes every record before the publisher sends it; remove the line")
        }
        guard let etcd = reader.mapping("etcd") else {
            if reader.entry("etcd") == nil {
                reader.add(
                    "log",
                    "a log on etcd needs \"etcd:\" with its endpoints and a state-directory; a "
                        + "directory of this name is written ./etcd")
            }
            return .etcd(EtcdSettings(endpoints: []))
        }
        var settings = EtcdReader().read(etcd)
        if isOneOfSeveral {
            refuseOwn(["state-directory"], etcd)
        } else {
            settings.stateDirectory = readStateDirectory(etcd)
        }
        return .etcd(settings)
    }

    private func readRetention(_ reader: MappingReader, into settings: inout PublisherSettings) {
        var bytes = ConfigurationLimits.retentionBytes
        var isOnEtcd = false
        if case .etcd = settings.log {
            isOnEtcd = true
            bytes = ConfigurationLimits.retentionBytesOnEtcd
            settings.retentionBytesMax = PublisherSettings.retentionBytesOnEtcd
        }
        guard let retention = reader.mapping("retention") else { return }
        retention.refuseUnknown(["records", "bytes", "age"])
        settings.retentionRecordsMax = retention.count(
            "records", default: settings.retentionRecordsMax,
            in: ConfigurationLimits.retentionRecords)
        settings.retentionBytesMax = retention.byteSize(
            "bytes", default: settings.retentionBytesMax, in: bytes)
        guard !isOnEtcd else {
            if retention.entry("age") != nil {
                retention.add(
                    "age",
                    "a log on etcd is bounded by records and bytes: it keeps no file of each age "
                        + "that could be deleted; remove the line")
            }
            return
        }
        settings.retentionAgeMax = retention.optionalDuration(
            "age", default: settings.retentionAgeMax, in: ConfigurationLimits.retentionAge)
    }

    private mutating func readEndpoints(
        _ reader: MappingReader, into settings: inout PublisherSettings
    ) {
        if reader.entry("endpoint") == nil {
            _ = claim(settings.endpoint, path: "publisher.endpoint", place: reader.place)
        } else if let endpoint = readEndpoint("endpoint", reader) {
            settings.endpoint = endpoint.text
        }
        settings.liveEndpoint = readLiveEndpoint(reader, after: settings.endpoint)
    }

    /// The live endpoint that is given; `nil` if it follows from `endpoint`, and is claimed, too.
    private mutating func readLiveEndpoint(
        _ reader: MappingReader, after endpoint: String
    ) -> String? {
        let name = "live-endpoint"
        guard reader.entry(name) == nil else { return readEndpoint(name, reader)?.text }
        claimDerivedLive(
            of: endpoint, path: MappingReader.join(reader.path, name),
            place: reader.place(of: "endpoint"))
        return nil
    }

    /// Claims the live endpoint that follows from `endpoint`, a valid one.
    private mutating func claimDerivedLive(
        of endpoint: String, path: String, place: SourcePlace
    ) {
        guard let live = EndpointText.live(after: endpoint) else {
            problems.add(
                place, path, "there is no port after that of \(endpoint); name the live endpoint")
            return
        }
        _ = claim(live, path: path, place: place)
    }
}

/// Several publishers.
extension ConfigurationReader {
    /// The publishers, in order, without those that lack a name, an endpoint or a directory; none
    /// if there is one publisher, which needs no list.
    mutating func readPublishers(
        _ root: MappingReader, _ shared: PublisherSettings
    ) -> [PublisherMember] {
        guard let list = publisherList(root) else { return [] }
        if case .etcd = shared.log {
        } else {
            root.add(
                "publishers",
                "several publishers share a log on etcd; give \"log: etcd\" and \"etcd:\" under "
                    + "publisher")
        }
        var names: [NodeID: Int] = [:]
        var publishers: [PublisherMember] = []
        for (index, node) in list.enumerated() {
            guard let reader = MappingReader(node, path: "publishers[\(index)]", problems) else {
                continue
            }
            let id = readID(reader, of: "publisher", example: "p1")
            if let id, let first = names.updateValue(index, forKey: id) {
                reader.add(
                    "id", "the name \(id) belongs to publishers[\(first)] already; give another")
            }
            if let publisher = readMember(reader, id) { publishers.append(publisher) }
        }
        return publishers
    }

    private func publisherList(_ root: MappingReader) -> [YAMLNode]? {
        guard let entry = root.entry("publishers") else { return nil }
        let range = ConfigurationLimits.publishers
        let count = entry.value.isNothing ? 0 : entry.value.sequence?.count
        if let count, count < range.lowerBound {
            root.add(
                "publishers",
                "list \(range.lowerBound) to \(range.upperBound) publishers; found \(count); a "
                    + "single one has its settings under publisher")
            return nil
        }
        return root.list(
            of: "publisher", in: "a cluster", key: "id", example: "id: p1", max: range.upperBound)
    }

    private mutating func readMember(_ reader: MappingReader, _ id: NodeID?) -> PublisherMember? {
        reader.refuseUnknown(["id", "endpoint", "live-endpoint", "http", "state-directory"])
        if reader.entry("endpoint") == nil {
            reader.add(
                "endpoint",
                "the publisher has no endpoint; give one, for example "
                    + "\"endpoint: tcp://10.0.0.1:7400\"")
        }
        let endpoint = readEndpoint("endpoint", reader)
        var live: String?
        if let endpoint {
            live = readLiveEndpoint(reader, after: endpoint.text)
        } else {
            live = readEndpoint("live-endpoint", reader)?.text
        }
        let http = readHTTP(reader, isElsewhere: endpoint?.isLoopback == false)
        let directory = readStateDirectory(reader, at: endpoint)
        guard let id, let endpoint, let directory else { return nil }
        var publisher = PublisherMember(
            id: id, endpoint: endpoint.text, stateDirectory: directory)
        publisher.liveEndpoint = live
        publisher.http = http
        return publisher
    }

    /// Where a publisher keeps how far it has seen the log; `nil`, with a problem, if nowhere.
    ///
    /// - Parameter endpoint: of the publisher. Two on different machines may name one path.
    mutating func readStateDirectory(
        _ reader: MappingReader, at endpoint: EndpointText? = nil
    ) -> String? {
        let name = EtcdSettings.Key.stateDirectory.rawValue
        guard reader.entry(name) != nil else {
            reader.add(
                name,
                "the publisher has no place for how far it has seen the log; give a directory of "
                    + "its own, for example \"state-directory: /var/lib/martlet/publisher\"")
            return nil
        }
        let directory = reader.directory(
            name, expected: "a directory such as /var/lib/martlet/publisher")
        guard let directory else { return nil }
        var machine: String?
        if case .tcp(let host, _)? = endpoint?.place, endpoint?.isLoopback == false {
            machine = host
        }
        claim(directory, name, reader, of: "publisher", on: machine)
        return directory
    }

    /// Refuses what each of several publishers has for itself.
    func refuseOwn(_ names: [String], _ reader: MappingReader) {
        for name in names where reader.entry(name) != nil {
            reader.add(
                name,
                "each publisher has its own, and they stand under publishers; remove the line")
        }
    }
}
