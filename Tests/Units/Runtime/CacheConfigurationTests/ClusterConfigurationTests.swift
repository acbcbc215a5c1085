import CacheConfiguration
import CacheModel
import Testing

@Suite struct ClusterConfigurationTests {
    /// By memory with slots alone: until they begin the weight of each shard decides, as ever.
    @Test(
        arguments: [
            ("", "", [500, 16_000], [1_000, 1_000]),
            (", weight: 2", "", [2_000, 1_000], [2_000, 1_000]),
            ("", ", weight: 0.5", [1_000, 500], [1_000, 500]),
        ] as [(String, String, [UInt32], [UInt32])])
    func aNodeWithoutAWeightHasThatOfItsMemoryUnlessOneIsStated(
        one: String, two: String, bySlots: [UInt32], before: [UInt32]
    ) throws {
        let configuration = try ConfigurationSamples.parsed(
            """
            topology: slots
            publisher: {log: /var/lib/log}
            nodes: [{id: n1, memory: 512MiB\(one)}, {id: n2, memory: 16GiB\(two)}]
            """)
        #expect(configuration.nodes.map(configuration.slotWeightThousandths) == bySlots)
        #expect(configuration.nodes.map(\.weightThousandths) == before)
    }

    @Test func theLeastFileTakesEveryDefault() throws {
        let configuration = try ConfigurationSamples.parsed(ConfigurationSamples.least)
        #expect(configuration.topology == .sharded)
        #expect(configuration.publisher == .standard)
        #expect(configuration.defaults == .standard)
        #expect(configuration.namespaces.isEmpty)
        let node = try #require(configuration.nodes.first)
        #expect(configuration.nodes.count == 1)
        #expect(node.id.name == "n1")
        #expect(node.shards == 1 && node.weight == nil && node.memory == 256 << 20)
        #expect(node.shardEndpoints == nil && node.disk == nil)
    }

    @Test func everyKeyReachesItsField() throws {
        let configuration = try ConfigurationSamples.parsed(ConfigurationSamples.full)
        #expect(configuration.topology == .replicated)
        let publisher = configuration.publisher
        #expect(publisher.endpoint == "tcp://127.0.0.1:7500")
        #expect(publisher.effectiveLiveEndpoint == "tcp://127.0.0.1:7600")
        #expect(publisher.lease == .seconds(4) && publisher.heartbeat == .milliseconds(250))
        #expect(publisher.retentionRecordsMax == 500 && publisher.retentionBytesMax == 1 << 20)
        #expect(publisher.retentionAgeMax == .seconds(12 * 3_600))
        #expect(
            publisher.log == .directory("/var/lib/martlet/log") && publisher.logSync == .interval)
        let gateway = try #require(configuration.gateway)
        #expect(gateway.bind == .loopback(port: 7480) && gateway.tokens == "/etc/martlet/tokens")
        #expect(gateway.jwtKeys == "/etc/martlet/jwks.json")
        #expect(gateway.jwtAudience == "cache.example")
        #expect(gateway.jwtIssuer == "https://id.example")
        #expect(gateway.allowedOrigins == ["https://app.example", "http://localhost:3000"])
        #expect(gateway.tlsCertificate == "/etc/martlet/chain.pem")
        #expect(gateway.tlsKey == "/etc/martlet/key.pem")
        #expect(gateway.bodyBytesMax == 32 << 20 && gateway.connectionsMax == 500)
        #expect(gateway.idle == .seconds(10))
        let (left, right) = (configuration.nodes[0], configuration.nodes[1])
        #expect(left.id.name == "left" && left.shards == 2 && left.memory == 1 << 30)
        #expect(left.weight == 0.5 && right.weight == nil)
        #expect(left.entriesMax == 500_000 && right.entriesMax == nil)
        #expect(left.shardEndpoints == ["tcp://127.0.0.1:7510", "tcp://127.0.0.1:7511"])
        let disk = DiskSettings(
            directory: "/var/lib/martlet/left", bytes: 10 << 30, reads: .ring,
            writeBytesPerSecond: 20 << 20, leftFreeBytes: 5 << 30)
        #expect(left.disk == disk && right.disk == nil)
        #expect(right.shardEndpoints == ["ipc:///run/martlet/right"])
        let policy = configuration.defaults
        #expect(policy.timeToLive == .seconds(86_400))
        #expect(policy.timeToLiveMax == .seconds(7 * 86_400))
        #expect(policy.valueBytesMax == 1 << 20 && policy.suspect == .refuse)
        #expect(policy.blindSet == .holdOff && policy.holdOff == .seconds(3))
        #expect(policy.loadLease == .seconds(10) && policy.staleWindow == .zero)
    }

    @Test(arguments: [
        ("{jwt-keys: /k}", "gateway.jwt-keys: "), ("{jwt-issuer: a}", "gateway.jwt-issuer: "),
        ("{tls-key: /k}", "gateway.tls-key: "), ("{bind: soon}", "gateway.bind: "),
        ("{max-body: 65MiB}", "gateway.max-body: "), ("{idle: 1ms}", "gateway.idle: "),
        ("{allow-origin: a}", "gateway.allow-origin: "), ("{token: /t}", "gateway.token: "),
        ("{bind: 7400}", "gateway.bind: "), ("{max-connections: 0}", "gateway.max-connections: "),
    ])
    func whatAGatewayCannotBeIsSaid(text: String, place: String) {
        let refusal = ConfigurationSamples.refusal(of: "gateway: \(text)\nnodes:\n- id: n1\n")
        #expect(refusal.count == 1 && refusal[0].contains(place), "\(refusal)")
    }

    @Test func aNamespaceTakesWhatItLeavesOutFromTheDefaults() throws {
        let configuration = try ConfigurationSamples.parsed(ConfigurationSamples.full)
        let images = configuration.policy(for: try #require(Namespace("images")))
        var expected = configuration.defaults
        expected.timeToLive = nil
        expected.valueBytesMax = 64 << 20
        expected.memory.most = try #require(Percent(40))
        expected.memory.entriesMax = 10_000
        expected.memory.whenFull = .refuse
        #expect(images == expected)
        #expect(
            configuration.policy(for: try #require(Namespace("plain"))) == configuration.defaults)
        #expect(configuration.policy(for: .default) == configuration.defaults)
    }

    @Test func aLifetimeTakenOverIsCutToTheNamespacesOwnBound() throws {
        let configuration = try ConfigurationSamples.parsed(ConfigurationSamples.full)
        let sessions = configuration.policy(for: try #require(Namespace("sessions")))
        #expect(sessions.timeToLive == .seconds(3_600))
        #expect(sessions.timeToLiveMax == .seconds(3_600))
    }

    @Test func theStandardClusterStaysWithinItsPorts() throws {
        let three = ClusterConfiguration.standard(nodeCount: 3, shardCount: 2, topology: .sharded)
        #expect(three.nodes.map(\.id.name) == ["n1", "n2", "n3"])
        #expect(three.nodes.map(\.port) == [7_402, 7_404, 7_406])
        #expect(three.publisher.effectiveLiveEndpoint == "tcp://127.0.0.1:7401")

        let most = ClusterConfiguration.standard(nodeCount: 61, shardCount: 1, topology: .sharded)
        #expect(most.nodes.last?.port == 7_462)
        let tooMany = ClusterConfiguration.standard(
            nodeCount: 2, shardCount: 31, topology: .sharded)
        #expect(tooMany.nodes.allSatisfy { $0.port == nil })

        let highest = ClusterConfiguration.standard(
            nodeCount: 61, shardCount: 1, topology: .sharded,
            port: ConfigurationLimits.standardPortMax)
        #expect(highest.nodes.last?.port == 65_534)
        for configuration in [three, most, tooMany, highest] {
            #expect(try ConfigurationSamples.parsed(configuration.yamlText()) == configuration)
        }
    }

    @Test func theLimitsHoldTogether() {
        ConfigurationLimits.check()
    }
}
