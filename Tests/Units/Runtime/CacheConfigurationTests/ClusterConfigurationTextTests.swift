import CacheConfiguration
import CacheModel
import Testing

@Suite struct ClusterConfigurationTextTests {
    @Test(
        arguments: [
            ConfigurationSamples.least, ConfigurationSamples.full, ConfigurationSamples.several,
            ConfigurationSamples.etcd, awkward,
        ])
    func parsingTheNormalisedTextGivesTheSameConfiguration(text: String) throws {
        let configuration = try ConfigurationSamples.parsed(text)
        let normalised = configuration.yamlText()
        #expect(try ConfigurationSamples.parsed(normalised) == configuration)
        #expect(try ConfigurationSamples.parsed(normalised).yamlText() == normalised)
    }

    /// Names that YAML would read as something else, and values at their bounds.
    private static let awkward = """
        nodes:
          - {id: "null", weight: 0.001, memory: 64MiB, shards: 64}
          - {id: "-", weight: 1000000, memory: 16TiB}
          - {id: 007, weight: 0.3}
          - {id: "true", endpoints: ["tcp://[::1]:1"]}
        defaults: {ttl: 36500d, ttl-max: none, stale-window: 1001us, hold-off: 0s}
        namespaces:
          ".": {}
          "1": {ttl: 1ms, ttl-max: 1ms, value-max: 1B}
          on: {load-lease: 100ms}
        """

    @Test(arguments: [
        "a \"quoted\" word", "C:\\log", "a\\n", "a # b", "a: b", "&a *b", "line\nbreak", "tab\t",
        "\u{7}", " a ", "é", "\u{85}\u{2028}\u{FEFF}", "日本 🙂", "\u{E000}\u{10FFFF}\u{FFFE}",
    ])
    func aPathIsReadBackAsItWasWhateverIsInIt(path: String) throws {
        var configuration = try ConfigurationSamples.parsed(ConfigurationSamples.least)
        configuration.publisher.log = .directory(path)
        configuration.nodes[0].disk = DiskSettings(directory: path, bytes: 16 << 20)
        #expect(try ConfigurationSamples.parsed(configuration.yamlText()) == configuration)
    }

    @Test func theTextStatesEveryKey() throws {
        let text = try ConfigurationSamples.parsed(ConfigurationSamples.full).yamlText()
        for key in ConfigurationKeys.all {
            #expect(text.contains("\(key):"), "\(key) is missing")
        }
        let several = try ConfigurationSamples.parsed(ConfigurationSamples.several).yamlText()
        for key in ConfigurationKeys.ofSeveral {
            #expect(several.contains("\(key):"), "\(key) is missing")
        }
    }

    /// So that a node of a release that knows no gateway reads what it is served, and another
    /// gateway is no other configuration to it.
    @Test func nodesHearNothingOfGateways() throws {
        let full = try ConfigurationSamples.parsed(ConfigurationSamples.full)
        #expect(full.yamlText().contains("gateway:"))
        #expect(!full.servedText().contains("gateway"))
        var other = full
        other.gateway = nil
        #expect(full.revision == other.revision && full != other)
        #expect(full.servedText() == other.yamlText())
    }

    /// So that a node of a release that knows no disk can still read what it is served.
    @Test func aNodeWithoutADiskTierSaysNothingOfOne() throws {
        let text = ClusterConfiguration.standard(nodeCount: 1, shardCount: 1, topology: .sharded)
            .yamlText()
        let settings = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(!settings.contains { $0.contains("disk") })
        let off = "nodes:\n  - {id: n1, disk: none}\n"
        let least = try ConfigurationSamples.parsed(ConfigurationSamples.least)
        #expect(try ConfigurationSamples.parsed(off).revision == least.revision)
    }

    /// So that a node of a release that knows no share of the disk can still read what is served.
    @Test func aNamespaceWithAllOfTheDiskSaysNothingOfIt() throws {
        let text = "nodes: [{id: n1}]\nnamespaces: {a: {disk-max: 100%}, b: {disk-max: 0%}}\n"
        let configuration = try ConfigurationSamples.parsed(text)
        let lines = configuration.servedText().split(separator: "\n")
        #expect(
            lines.filter { $0.contains("disk-max") }.map { $0.drop { $0 == " " } }
                == ["disk-max: 0%"])
        let b = configuration.policy(for: try #require(Namespace("b")))
        #expect(b.diskMost == .none && configuration.defaults.diskMost == .all)
    }

    /// So that a node of a release that knows no window can still read what it is served.
    @Test func whereAnOriginIsTheTextLeavesTheDefaultOut() throws {
        let text = "nodes: [{id: n1}]\nnamespaces: {a: {origin: 'http://o/{key}'}}\n"
        let configuration = try ConfigurationSamples.parsed(text)
        let policy = try #require(configuration.namespaces.values.first)
        #expect(policy.suspect == .serveThenRevalidate)
        #expect(policy.suspectWindow == .seconds(300))
        let settings = configuration.servedText().split(separator: "\n").filter {
            !$0.contains("#") || $0.contains("suspect: serve ")
        }
        #expect(!settings.contains { $0.contains("then-revalidate") || $0.contains("-window: 5m") })
        #expect(try ConfigurationSamples.parsed(configuration.yamlText()) == configuration)
    }

    @Test(arguments: [
        ("serve", NamespacePolicy.Suspect.serveThenRevalidate),
        ("serve-then-revalidate", .serveThenRevalidate), ("refuse", .revalidate),
        ("revalidate", .revalidate),
    ])
    func whatTheDefaultsSayHoldsWhereAnOriginIs(
        said: String, suspect: NamespacePolicy.Suspect
    ) throws {
        let text = "nodes: [{id: n1}]\ndefaults: {suspect: \(said), suspect-window: 1m}\n"
        let origin = "namespaces: {a: {origin: 'http://o/{key}'}}\n"
        let configuration = try ConfigurationSamples.parsed(text + origin)
        #expect(configuration.namespaces.values.map(\.suspect) == [suspect])
        #expect(configuration.namespaces.values.map(\.suspectWindow) == [.seconds(60)])
        #expect(try ConfigurationSamples.parsed(configuration.yamlText()) == configuration)
    }

    @Test(arguments: NamespacePolicy.Suspect.allCases)
    func whatANamespaceSaysItselfHoldsAlsoWhereAnOriginIs(
        suspect: NamespacePolicy.Suspect
    ) throws {
        let text = "nodes: [{id: n1}]\ndefaults: {suspect: refuse, suspect-window: 1m}\n"
        let own = "suspect: \(suspect.rawValue), suspect-window: 5m, origin: 'http://o/{key}'"
        let configuration = try ConfigurationSamples.parsed(text + "namespaces: {a: {\(own)}}\n")
        #expect(configuration.namespaces.values.map(\.suspect) == [suspect])
        #expect(configuration.namespaces.values.map(\.suspectWindow) == [.seconds(300)])
        #expect(try ConfigurationSamples.parsed(configuration.yamlText()) == configuration)
    }

    @Test func theRevisionFollowsTheMeaningNotTheWriting() throws {
        let spaced = try ConfigurationSamples.parsed(
            "# a comment\nnodes:\n\n  - {id: n1, memory: 262144KiB}")
        let least = try ConfigurationSamples.parsed(ConfigurationSamples.least)
        #expect(spaced == least)
        #expect(spaced.revision == least.revision)
        #expect(least.revision != 0)
    }

    @Test func theRevisionChangesWithEverySetting() throws {
        let base = try ConfigurationSamples.parsed(ConfigurationSamples.full)
        var seen: Set<UInt32> = [base.revision]
        let changes: [(inout ClusterConfiguration) -> Void] = [
            { $0.topology = .sharded }, { $0.publisher.endpoint = "tcp://127.0.0.1:7501" },
            { $0.publisher.liveEndpoint = nil }, { $0.publisher.lease = .seconds(5) },
            { $0.publisher.heartbeat = .seconds(1) }, { $0.publisher.retentionRecordsMax = 501 },
            { $0.publisher.retentionAgeMax = .seconds(60) },
            { $0.publisher.log = .directory("log") },
            { $0.publisher.logSync = .none }, { $0.publisher.retentionBytesMax += 1 },
            { $0.nodes.swapAt(0, 1) },
            { $0.nodes[0].shards = 3 }, { $0.nodes[0].weight = 0.501 },
            { $0.nodes[0].memory += 1 }, { $0.nodes[0].eviction = .sieve },
            { $0.nodes[0].entriesMax = nil }, { $0.nodes[0].entriesMax = 500_001 },
            { $0.namespaces = $0.namespaces.mapValues { $0.with(entriesMax: 9_999) } },
            { $0.namespaces = $0.namespaces.mapValues { $0.with(.evict) } },
            { $0.nodes[0].spin = .microseconds(120) }, { $0.nodes[0].ioThreads = 3 },
            { $0.defaults.timeToLiveJitter = .none },
            { $0.namespaces = $0.namespaces.mapValues { $0.with(most: 39) } },
            { $0.namespaces = $0.namespaces.mapValues { $0.with(guaranteed: 19) } },
            { $0.namespaces = $0.namespaces.mapValues { $0.with(diskMost: 29) } },
            { $0.nodes[0].disk = nil }, { $0.nodes[0].disk?.bytes += 1 },
            { $0.nodes[0].disk?.directory = "left" }, { $0.nodes[0].disk?.reads = .threads },
            { $0.nodes[0].port = nil },
            { $0.nodes[1].endpoints = nil }, { $0.defaults.timeToLive = nil },
            { $0.defaults.timeToLiveMax = nil }, { $0.defaults.valueBytesMax += 1 },
            { $0.defaults.suspect = .serve }, { $0.defaults.blindSet = .allow },
            { $0.defaults.holdOff = .zero }, { $0.defaults.loadLease = .seconds(1) },
            { $0.defaults.staleWindow = .seconds(1) }, { $0.namespaces = [:] },
            { $0.defaults.replicaLag = .seconds(1) },
            { $0.defaults.suspectWindow = .seconds(1) },
        ]
        for change in changes {
            var changed = base
            change(&changed)
            #expect(seen.insert(changed.revision).inserted)
        }
        #expect(seen.count == changes.count + 1)
    }
}

extension NamespacePolicy {
    fileprivate func with(most: Int) -> NamespacePolicy {
        var policy = self
        policy.memory.most = Percent(most) ?? .all
        return policy
    }

    fileprivate func with(entriesMax: Int) -> NamespacePolicy {
        var policy = self
        policy.memory.entriesMax = entriesMax
        return policy
    }

    fileprivate func with(_ whenFull: MemoryQuota.WhenFull) -> NamespacePolicy {
        var policy = self
        policy.memory.whenFull = whenFull
        return policy
    }

    fileprivate func with(diskMost: Int) -> NamespacePolicy {
        var policy = self
        policy.diskMost = Percent(diskMost) ?? .all
        return policy
    }

    fileprivate func with(guaranteed: Int) -> NamespacePolicy {
        var policy = self
        policy.memory.guaranteed = Percent(guaranteed) ?? .none
        return policy
    }

    @Test(arguments: ["", "nodes: []\n", "nodes:\n  - id: n1\n"])
    func aClusterThatNodesJoinNeedsNoneInItsFile(_ nodes: String) throws {
        let configuration = try ConfigurationSamples.parsed(
            "topology: slots\nmembership: open\n" + nodes)
        #expect(configuration.membership == .open)
        #expect(configuration.nodes.count == (nodes.contains("n1") ? 1 : 0))
        #expect(try ConfigurationSamples.parsed(configuration.yamlText()) == configuration)
        var listed = configuration
        listed.membership = .listed
        #expect(!listed.yamlText().contains("membership"), "an earlier release reads it")
        let change = ConfigurationChange(from: listed, to: configuration)
        #expect(change.refusals.isEmpty && change.deferrals.isEmpty)
    }
}
