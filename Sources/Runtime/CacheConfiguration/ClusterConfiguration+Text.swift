import CacheLoading
import CacheModel

extension ClusterConfiguration {
    /// The configuration in full, normalised, with comments that state units: what
    /// `martlet config show` prints of a file. Parsed again, it is this one.
    package func yamlText() -> String { text(withComments: true) }

    /// The same without what no node has to know, as the publisher serves it: a node of a release
    /// that knows nothing of gateways reads it.
    package func servedText() -> String {
        var served = self
        served.gateway = nil
        return served.yamlText()
    }

    /// A number that stands for what is configured: equal for equal configurations, never zero.
    /// It tells a reload that changed something from one that did not.
    ///
    /// FNV-1a over the served text without its comments, so that two differing configurations
    /// share one only by a chance of 1 in 2^32.
    ///
    /// - Complexity: O(the text's length). Keep it rather than ask for it in every message.
    package var revision: UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        var served = self
        served.gateway = nil
        for byte in served.text(withComments: false).utf8 {
            hash = (hash ^ UInt32(byte)) &* 0x0100_0193
        }
        return max(hash, 1)
    }

    private func text(withComments: Bool) -> String {
        var writer = ConfigurationText(withComments: withComments)
        writer.comment("A Martlet cluster. Sizes: B, KiB, MiB, GiB. Times: ms, s, m, h, d.")
        writer.setting("version", "\(ConfigurationLimits.formatVersion)", note: "of this format")
        writer.setting("topology", topology.rawValue, note: "sharded | slots | replicated")
        // Processes of a release that does not know it go on reading a file that has none.
        if membership == .open {
            writer.setting(
                "membership", membership.rawValue, note: "open: nodes may join | listed")
        }
        writer.gap()
        writer.setting("publisher")
        publisher.write(
            to: &writer, isOneOfSeveral: !publishers.isEmpty, hasSlots: topology == .slots)
        writer.gap()
        if !publishers.isEmpty {
            writer.setting("publishers", note: "one of them leads")
            for publisher in publishers { publisher.write(to: &writer) }
            writer.gap()
        }
        if let gateway {
            gateway.write(to: &writer)
            writer.gap()
        }
        writer.comment("A node without port and endpoints takes free ports.")
        writer.comment("One without disk (a size) and disk-directory has its memory alone.")
        writer.setting("nodes", nodes.isEmpty ? "[]" : "")
        for node in nodes { node.write(to: &writer) }
        writer.gap()
        writer.comment("What holds in namespaces that are not listed.")
        writer.setting("defaults")
        defaults.write(to: &writer, indent: 2, over: nil)
        writer.gap()
        writer.setting("namespaces", namespaces.isEmpty ? "{}" : "")
        for (namespace, policy) in namespaces.sorted(by: { $0.key.name < $1.key.name }) {
            writer.setting(ConfigurationText.quoted(namespace.name), indent: 2)
            policy.write(to: &writer, indent: 4, over: defaults)
            policy.origin?.write(to: &writer, indent: 4)
        }
        return writer.text
    }
}

extension NodeSettings {
    fileprivate func write(to writer: inout ConfigurationText) {
        writer.setting("- id", ConfigurationText.quoted(id.name), indent: 2)
        writer.setting("shards", "\(shards)", indent: 4)
        if let weight { writer.setting("weight", "\(weight)", indent: 4) }
        writer.setting("memory", ByteSizeText.format(memory), indent: 4)
        // Nodes of a release that does not know it go on reading a file that has none.
        if let entriesMax {
            writer.setting(
                "entries-max", "\(entriesMax)", indent: 4, note: "in memory, all shards together")
        }
        writer.setting("eviction", eviction.rawValue, indent: 4)
        writer.setting("memory-pressure", memoryPressure.rawValue, indent: 4)
        // Nodes of a release that knows none of these go on reading a file that has none.
        if spin != .zero {
            writer.setting(
                "spin", DurationText.format(spin), indent: 4, note: "of a core, before each sleep")
        }
        if ioThreads != 1 { writer.setting("io-threads", "\(ioThreads)", indent: 4) }
        warmUp.write(to: &writer)
        if let disk {
            writer.setting("disk", ByteSizeText.format(disk.bytes), indent: 4)
            writer.setting(
                "disk-directory", ConfigurationText.quoted(disk.directory), indent: 4)
            writer.setting("disk-reads", disk.reads.rawValue, indent: 4)
            writer.setting(
                "disk-write-limit", ByteSizeText.formatOptional(disk.writeBytesPerSecond),
                indent: 4,
                note: "a second, of what memory evicts")
            // Nodes of a release that does not know it go on reading a file that has none.
            if let leftFree = disk.leftFreeBytes {
                writer.setting(
                    "disk-free", ByteSizeText.format(leftFree), indent: 4,
                    note: "left on its file system")
            }
        }
        if let queueDirectory {
            writer.setting(
                "queue-directory", ConfigurationText.quoted(queueDirectory), indent: 4)
        }
        if let http {
            writer.setting("http", ConfigurationText.quoted(http.description), indent: 4)
        }
        if sampleEvery != nil {
            writer.setting(
                "sample-log", SampleText.format(sampleEvery), indent: 4,
                note: "of its operations have a line")
        }
        if let endpoints {
            let listed = endpoints.map(ConfigurationText.quoted).joined(separator: ", ")
            writer.setting("endpoints", "[\(listed)]", indent: 4)
        } else if let port {
            writer.setting("port", "\(port)", indent: 4)
        }
    }
}

extension WarmUpSettings {
    /// What differs from the default: older releases do not know all of it.
    fileprivate func write(to writer: inout ConfigurationText) {
        let standard = WarmUpSettings()
        if source != standard.source {
            writer.setting("warm-up", source.rawValue, indent: 4)
        }
        if let keysMax { writer.setting("warm-up-keys", "\(keysMax)", indent: 4) }
        if perSecond != standard.perSecond {
            writer.setting("warm-up-rate", "\(perSecond)", indent: 4, note: "keys a second")
        }
        if bytesPerSecond != standard.bytesPerSecond {
            writer.setting(
                "warm-up-bytes", ByteSizeText.format(bytesPerSecond), indent: 4, note: "a second")
        }
    }
}

extension NamespacePolicy {
    /// - Parameter defaults: `nil`: these are they.
    fileprivate func write(
        to writer: inout ConfigurationText, indent: Int, over defaults: NamespacePolicy?
    ) {
        if isSuspectLeftOut(over: defaults) {
            writer.comment("suspect: \(suspect.rawValue), as it has an origin", indent: indent)
        }
        for setting in settings(over: defaults) {
            writer.setting(
                setting.name, setting.value, indent: indent,
                note: defaults == nil ? setting.note : nil)
        }
    }

    /// Nodes of a release that does not know this default go on reading a file that has it.
    private func isSuspectLeftOut(over defaults: NamespacePolicy?) -> Bool {
        guard let defaults, origin != nil, suspect == .serveThenRevalidate else { return false }
        return defaults.suspect.whereAnOriginIs == suspect
    }

    private typealias Setting = (name: String, value: String, note: String)

    private func settings(over defaults: NamespacePolicy?) -> [Setting] {
        var settings = lifetimeSettings
        if !isSuspectLeftOut(over: defaults) {
            settings.append(
                (
                    "suspect", suspect.rawValue,
                    "without a lease: serve (marked stale) | refuse (behind) | revalidate"
                ))
        }
        if suspectWindow != (defaults ?? .standard).suspectWindow {
            settings.append(
                (
                    "suspect-window", DurationText.format(suspectWindow),
                    "how long suspect: serve-then-revalidate serves"
                ))
        }
        settings += otherSettings
        // Namespaces that are not listed have no share of their own.
        if defaults != nil {
            settings.append(("memory-max", PercentText.format(memory.most), ""))
            settings.append(("memory-guaranteed", PercentText.format(memory.guaranteed), ""))
            settings += boundSettings
        }
        return settings
    }

    /// Bounds that are set: nodes of older releases refuse a file with a key that they do not know.
    private var boundSettings: [Setting] {
        var settings: [Setting] = []
        if let entriesMax = memory.entriesMax {
            settings.append(("entries-max", "\(entriesMax)", ""))
        }
        if memory.whenFull != .evict {
            settings.append(("when-full", memory.whenFull.rawValue, ""))
        }
        if diskMost != .all {
            settings.append(("disk-max", PercentText.format(diskMost), ""))
        }
        return settings
    }

    private var lifetimeSettings: [Setting] {
        [
            ("ttl", DurationText.format(timeToLive), "of stores that name none; none: no end"),
            ("ttl-max", DurationText.format(timeToLiveMax), "longer ones are cut; none: no bound"),
            (
                "ttl-jitter", PercentText.format(timeToLiveJitter),
                "how much shorter a TTL may turn out, each by chance"
            ),
            ("value-max", ByteSizeText.format(valueBytesMax), "longer values are refused"),
        ]
    }

    private var otherSettings: [Setting] {
        [
            ("blind-set", blindSet.rawValue, "no token, no version: allow | hold-off | reject"),
            (
                "hold-off", DurationText.format(holdOff),
                "how long blind-set: hold-off refuses after an invalidation"
            ),
            ("load-lease", DurationText.format(loadLease), "how long one caller alone may load"),
            (
                "stale-window", DurationText.format(staleWindow),
                "after a soft invalidation, for who allows stale answers"
            ),
            (
                "replica-lag", DurationText.format(replicaLag),
                "how long reads of the database may show what was before"
            ),
        ]
    }
}
