import CacheConfiguration
import CacheModel
import Testing

@Suite struct ConfigurationChangeTests {
    private static let file = """
        topology: sharded
        publisher: {endpoint: "tcp://127.0.0.1:7400", lease: 3s}
        nodes:
          - {id: n1, shards: 2, memory: 64MiB, port: 7410}
          - {id: n2, port: 7420}
        defaults: {ttl: 1h}
        namespaces:
          news: {ttl: 5m, origin: {url: "http://127.0.0.1:1/{key}"}}

        """

    private func change(_ old: String, _ new: String) throws -> ConfigurationChange {
        ConfigurationChange(
            from: try ConfigurationSamples.parsed(Self.file),
            to: try ConfigurationSamples.parsed(Self.file.replacing(old, with: new)))
    }

    @Test func nothingChangesBetweenEqualFiles() throws {
        let change = try change("1h", "60m")
        #expect(change.settings.isEmpty && change.refusals.isEmpty && change.deferrals.isEmpty)
    }

    @Test(
        arguments: [
            ("lease: 3s", "lease: 5s", "publisher.lease"), ("1h", "2h", "defaults.ttl"),
            ("ttl: 5m", "ttl: 6m", "namespaces.news.ttl"),
            ("ttl: 5m", "ttl: 5m, entries-max: 9", "namespaces.news.entries-max"),
            ("127.0.0.1:1", "127.0.0.1:2", "namespaces.news.origin.url"),
            ("shards: 2,", "shards: 2, weight: 2.0,", "nodes.n1.weight"),
        ])
    func whatHoldsAtOnceIsTakenOver(old: String, new: String, key: String) throws {
        let change = try change(old, new)
        #expect(change.settings.map(\.key) == [key])
        #expect(change.refusals.isEmpty && change.deferrals.isEmpty)
    }

    @Test func nodesMayComeAndGo() throws {
        let more = try change(
            "  - {id: n2, port: 7420}", "  - {id: n2, port: 7420}\n  - {id: n3, shards: 4}")
        #expect(more.settings.isEmpty && more.refusals.isEmpty)
        let less = try change("  - {id: n1, shards: 2, memory: 64MiB, port: 7410}\n", "")
        #expect(less.settings.isEmpty && less.refusals.isEmpty)
    }

    @Test(
        arguments: [
            ("topology: sharded", "topology: replicated", "topology: sharded → replicated: "),
            ("shards: 2", "shards: 4", "nodes.n1.shards: 2 → 4: "),
            (":7400\"", ":7500\"", "publisher.endpoint: tcp://127.0.0.1:7400 → "),
            ("3s", "3s, log: /log", "publisher.log: not set → /log: "),
            ("3s", "3s, retention: {records: 5}", "publisher.retention.records: 1000000 → 5: "),
            ("3s", "3s, http: 9000", "publisher.http: not set → 127.0.0.1:9000: "),
        ])
    func whatCannotChangeLiveIsRefusedWithBothValuesAndARemedy(
        old: String, new: String, sentence: String
    ) throws {
        let refusals = try change(old, new).refusals
        let refusal = try #require(refusals.first)
        #expect(refusals.count == 1 && refusal.hasPrefix(sentence), "\(refusals)")
        #expect(refusal.contains("start") || refusal.contains("stop"))
    }

    @Test func whatANodeReadsAtItsStartIsToldWithTheNode() throws {
        let change = try change("memory: 64MiB", "memory: 128MiB, entries-max: 9, eviction: lru")
        #expect(change.refusals.isEmpty)
        #expect(
            change.deferrals == [
                "nodes.n1.memory, nodes.n1.entries-max, nodes.n1.eviction: takes effect when node "
                    + "n1 is started again"
            ])
    }

    private func change(ofSeveral old: String, _ new: String) throws -> ConfigurationChange {
        let text = ConfigurationSamples.several
        return ConfigurationChange(
            from: try ConfigurationSamples.parsed(text),
            to: try ConfigurationSamples.parsed(text.replacing(old, with: new)))
    }

    @Test func aPublishersOwnSettingsTakeEffectWhenItIsStartedAgain() throws {
        let change = try change(ofSeveral: "http: 9400", "http: 9401")
        #expect(change.refusals.isEmpty)
        #expect(
            change.deferrals == [
                "publishers.p1.http: takes effect when publisher p1 is started again",
                "publishers.p2.http: takes effect when publisher p2 is started again",
            ])
        let lease = try self.change(ofSeveral: "lease: 4s", "lease: 5s")
        #expect(lease.refusals.isEmpty && lease.deferrals.isEmpty && lease.settings.count == 1)
    }

    @Test(
        arguments: [
            ("0.2:7400", "0.3:7400", "publishers.p2.endpoint: tcp://10.0.0.2:7400 → "),
            ("id: p2", "id: p3", "publishers.p3.id: not set → p3: "),
            ("user: martlet", "user: other", "publisher.etcd.user: martlet → other: "),
            ("/caches/one", "/caches/two", "publisher.etcd.prefix: /caches/one → /caches/two: "),
        ])
    func whatPublishersMustAgreeOnIsRefusedWithARemedyForAllOfThem(
        old: String, new: String, sentence: String
    ) throws {
        let refusals = try change(ofSeveral: old, new).refusals
        #expect(refusals.first?.hasPrefix(sentence) == true, "\(refusals)")
        #expect(refusals.count == (old == "id: p2" ? 2 : 1), "\(refusals)")
        let together = old == "/caches/one"
        for refusal in refusals {
            #expect(refusal.contains("start each publisher again") != together, "\(refusal)")
            #expect(refusal.contains("stop all publishers") == together, "\(refusal)")
        }
    }

    @Test func oneMorePublisherIsOneChange() throws {
        let third = "  - {id: p3, endpoint: 'tcp://10.0.0.3:7400', state-directory: /s}\nnodes:"
        let change = try change(ofSeveral: "nodes:", third)
        #expect(change.settings.map(\.key) == ["publishers.p3.id"])
    }

    @Test func everyKeyOfTheReferenceHasAnEffect() {
        let live: Set<ConfigurationEffect> = [.live]
        for key in ConfigurationKeys.policy + ConfigurationKeys.quota + ConfigurationKeys.origin {
            #expect(live.contains(ConfigurationEffect(of: ["defaults", key])))
            #expect(live.contains(ConfigurationEffect(of: ["namespaces", "n", key])))
        }
        for key in ConfigurationKeys.node {
            let effect = ConfigurationEffect(of: ["nodes", "n1", key])
            switch key {
            case "id", "weight": #expect(effect == .live)
            case "shards": #expect(effect.isRefusal)
            default: #expect(effect == .atStart(of: "node n1"), "\(key)")
            }
        }
        for key in ConfigurationKeys.publisher + ConfigurationKeys.retention {
            let effect = ConfigurationEffect(of: ["publisher", key])
            #expect(effect.isRefusal == !["lease", "heartbeat"].contains(key), "\(key)")
        }
        for key in ConfigurationKeys.gateway {
            #expect(ConfigurationEffect(of: ["gateway", key]) == .atStart(of: "a gateway"))
        }
        for key in ConfigurationKeys.etcd {
            #expect(ConfigurationEffect(of: ["publisher", "etcd", key]).isRefusal, "\(key)")
        }
        for key in ConfigurationKeys.publishers {
            let effect = ConfigurationEffect(of: ["publishers", "p1", key])
            switch key {
            case "http", "state-directory": #expect(effect == .atStart(of: "publisher p1"))
            default: #expect(effect.isRefusal, "\(key)")
            }
        }
        #expect(ConfigurationEffect(of: ["topology"]).isRefusal)
        #expect(ConfigurationEffect(of: ["a key of a later release"]).isRefusal)
    }
}

extension ConfigurationEffect {
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}
