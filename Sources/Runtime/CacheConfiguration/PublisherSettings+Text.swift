import CacheModel

extension PublisherSettings {
    /// As the file has it.
    ///
    /// - Parameters:
    ///   - isOneOfSeveral: whether what each publisher has for itself is left out.
    ///   - hasSlots: whether the log assigns keys to nodes.
    func write(to writer: inout ConfigurationText, isOneOfSeveral: Bool, hasSlots: Bool) {
        if !isOneOfSeveral { writeEndpoints(to: &writer) }
        writer.setting(
            "lease", DurationText.format(lease), indent: 2,
            note: "how long a node that hears nothing calls its entries fresh")
        writer.setting(
            "heartbeat", DurationText.format(heartbeat), indent: 2, note: "longest silence")
        if hasSlots {
            writer.setting(
                "failover-after", DurationText.format(failoverAfter), indent: 2,
                note: "how long a node has no lease before others get its keys")
        }
        writer.setting("retention", indent: 2, note: "what is kept for replays: the lesser of")
        writer.setting("records", "\(retentionRecordsMax)", indent: 4)
        writer.setting("bytes", ByteSizeText.format(retentionBytesMax), indent: 4)
        writeLog(to: &writer)
        if !isOneOfSeveral, let http {
            writer.setting("http", ConfigurationText.quoted(http.description), indent: 2)
        }
    }

    private func writeEndpoints(to writer: inout ConfigurationText) {
        writer.setting(
            "endpoint", ConfigurationText.quoted(endpoint), indent: 2,
            note: "clients and nodes ask here")
        if let liveEndpoint {
            writer.setting(
                "live-endpoint", ConfigurationText.quoted(liveEndpoint), indent: 2,
                note: "nodes listen here")
        } else if let derived = effectiveLiveEndpoint {
            writer.comment("live-endpoint: \(derived), the one after endpoint", indent: 2)
        }
    }

    /// The log, and before it the last setting of the retention. A log on etcd has no age and no
    /// log-sync.
    private func writeLog(to writer: inout ConfigurationText) {
        if case .etcd(let etcd) = log {
            writer.setting("log", LogStorage.etcdWord, indent: 2)
            etcd.write(to: &writer)
            return
        }
        writer.setting(
            "age", retentionAgeMax.map { DurationText.format($0) } ?? "none", indent: 4)
        if case .directory(let directory) = log {
            // This word alone is no directory.
            let path = directory == LogStorage.etcdWord ? "./\(directory)" : directory
            writer.setting("log", ConfigurationText.quoted(path), indent: 2, note: "a directory")
        } else {
            writer.comment("log: a directory; without one it is lost with its process", indent: 2)
        }
        writer.setting(
            "log-sync", logSync.rawValue, indent: 2, note: "always | interval (0.1 s) | none")
    }
}

extension EtcdSettings {
    fileprivate func write(to writer: inout ConfigurationText) {
        writer.setting("etcd", indent: 2)
        let listed = endpoints.map(ConfigurationText.quoted).joined(separator: ", ")
        writer.setting("endpoints", "[\(listed)]", indent: 4)
        writer.setting(
            "prefix", ConfigurationText.quoted(prefix), indent: 4,
            note: "of every key; another cluster needs another")
        let texts: [(key: Key, value: String?)] = [
            (.user, user), (.passwordFile, passwordFile), (.authority, authority),
            (.certificate, certificate), (.key, key), (.stateDirectory, stateDirectory),
        ]
        for case (let key, let value?) in texts {
            writer.setting(key.rawValue, ConfigurationText.quoted(value), indent: 4)
        }
    }
}

extension PublisherMember {
    /// As the file has it.
    func write(to writer: inout ConfigurationText) {
        writer.setting("- id", ConfigurationText.quoted(id.name), indent: 2)
        writer.setting("endpoint", ConfigurationText.quoted(endpoint), indent: 4)
        if let liveEndpoint {
            writer.setting("live-endpoint", ConfigurationText.quoted(liveEndpoint), indent: 4)
        }
        if let http {
            writer.setting("http", ConfigurationText.quoted(http.description), indent: 4)
        }
        writer.setting("state-directory", ConfigurationText.quoted(stateDirectory), indent: 4)
    }
}
