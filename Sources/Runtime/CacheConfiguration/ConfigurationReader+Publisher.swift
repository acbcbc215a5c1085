extension ConfigurationReader {
    /// The publisher's settings; where they are wrong or missing, the defaults.
    mutating func readPublisher(_ root: MappingReader) -> PublisherSettings {
        var settings = PublisherSettings.standard
        guard let reader = root.mapping("publisher") else {
            _ = claim(settings.endpoint, path: "publisher.endpoint", place: root.place)
            claimDerivedLive(of: settings.endpoint, place: root.place)
            return settings
        }
        reader.refuseUnknown([
            "endpoint", "live-endpoint", "lease", "heartbeat", "retention", "log", "log-sync",
            "http",
        ])
        readEndpoints(reader, into: &settings)
        settings.lease = reader.duration(
            "lease", default: settings.lease, in: ConfigurationLimits.lease)
        settings.heartbeat = reader.duration(
            "heartbeat", default: settings.heartbeat, in: ConfigurationLimits.heartbeat)
        if settings.heartbeat >= settings.lease {
            reader.add(
                reader.entry("heartbeat") == nil ? "lease" : "heartbeat",
                "a heartbeat of \(DurationText.format(settings.heartbeat)) does not keep a lease "
                    + "of \(DurationText.format(settings.lease)) alive; make the heartbeat shorter")
        }
        readLog(reader, into: &settings)
        settings.http = readHTTP(reader)
        guard let retention = reader.mapping("retention") else { return settings }
        retention.refuseUnknown(["records", "bytes", "age"])
        settings.retentionRecordsMax = retention.count(
            "records", default: settings.retentionRecordsMax,
            in: ConfigurationLimits.retentionRecords)
        settings.retentionBytesMax = retention.byteSize(
            "bytes", default: settings.retentionBytesMax, in: ConfigurationLimits.retentionBytes)
        settings.retentionAgeMax = retention.optionalDuration(
            "age", default: settings.retentionAgeMax, in: ConfigurationLimits.retentionAge)
        return settings
    }

    private func readLog(_ reader: MappingReader, into settings: inout PublisherSettings) {
        settings.logSync = reader.choice("log-sync", default: settings.logSync)
        settings.log = reader.directory(
            "log", expected: "a directory such as /var/lib/martlet/log")
    }

    private mutating func readEndpoints(
        _ reader: MappingReader, into settings: inout PublisherSettings
    ) {
        if reader.entry("endpoint") == nil {
            _ = claim(settings.endpoint, path: "publisher.endpoint", place: reader.place)
        } else if let endpoint = readEndpoint("endpoint", reader) {
            settings.endpoint = endpoint.text
        }
        if reader.entry("live-endpoint") == nil {
            claimDerivedLive(of: settings.endpoint, place: reader.place(of: "endpoint"))
        } else {
            settings.liveEndpoint = readEndpoint("live-endpoint", reader)?.text
        }
    }

    /// Claims the live endpoint that follows from `endpoint`, a valid one.
    private mutating func claimDerivedLive(of endpoint: String, place: SourcePlace) {
        let path = "publisher.live-endpoint"
        var settings = PublisherSettings.standard
        settings.endpoint = endpoint
        guard let live = settings.effectiveLiveEndpoint else {
            problems.add(
                place, path, "there is no port after that of \(endpoint); name the live endpoint")
            return
        }
        _ = claim(live, path: path, place: place)
    }
}
