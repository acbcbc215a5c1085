import CacheConfiguration
import CacheModel
import CacheWire
import PublisherCore
import PublisherServer
import Testing
import ZeroMQ

@Suite struct PublisherOptionsTests {
    @Test func theConfigurationOfAClusterIsTakenOver() throws {
        let configuration = ClusterConfiguration.standard(
            nodeCount: 2, shardCount: 3, topology: .replicated)
        let options = try PublisherOptions(configuration)
        #expect(options.control.description == "tcp://127.0.0.1:7400")
        #expect(options.live?.description == "tcp://127.0.0.1:7401")
        #expect(options.plan.nodes.map(\.id.name) == ["n1", "n2"])
        #expect(options.plan.nodes.map(\.shards) == [3, 3])
        #expect(options.plan.kind == .replicated && options.plan.lease == .seconds(3))
        #expect(options.plan.configuration.revision == configuration.revision)
        #expect(options.plan.configuration.text == configuration.yamlText())
        #expect(options.retentionRecordsMax == 1_000_000)
    }

    @Test func oneOfSeveralPublishersHasItsOwnPlaceAndTheConfigurationOfAll() throws {
        let text = """
            publisher: {log: etcd, etcd: {endpoints: ['http://127.0.0.1:1']}}
            publishers:
              - {id: p1, endpoint: 'tcp://127.0.0.1:7400', state-directory: /s1}
              - {id: p2, endpoint: 'tcp://127.0.0.1:7500', state-directory: /s2}
            nodes: [{id: n1}]
            """
        let configuration = try ClusterConfiguration.parse(text, fileName: "f")
        let id = try #require(NodeID("p2"))
        let settings: PublisherSettings? = configuration.publisherSettings(of: id)
        let options = try PublisherOptions(configuration, of: settings)
        #expect(options.control.description == "tcp://127.0.0.1:7500")
        #expect(options.live?.description == "tcp://127.0.0.1:7501")
        #expect(options.retentionBytesMax == 64 << 20)
        #expect(options.log == nil && options.etcd == nil)
        #expect(options.plan.configuration.revision == configuration.revision)
    }
}
