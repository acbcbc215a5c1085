import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// Variables and the programs that are started with them.
    @Suite(.serialized) struct UpVariablesTests {
        @Test func aVariableOfOneProcessAloneStartsNothing() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let up = try RunningProgram(
                ["up"], name: "up", in: directory.url, environment: ["MARTLET_ID": "n1"])
            defer { up.kill() }
            #expect(try await up.ended() == 64, "\(up.errors)")
            #expect(up.errors.contains("MARTLET_ID is set"), "\(up.errors)")
        }

        @Test func nodesTakeWhatFlagsSayThoughAVariableSaysAnother() async throws {
            var plan = ClusterPlan()
            plan.nodeCount = 1
            plan.flags = ["--memory", "96MiB"]
            plan.environment = ["MARTLET_MEMORY": "64MiB", "MARTLET_MEMROY": "32MiB"]
            try await withCluster(plan) { cluster in
                let node = try #require(cluster.view.nodes.first)
                let shard = try #require(try await cluster.client.cluster.status(of: node).first)
                #expect(shard.figures["memory_bytes_max"] == 96 << 20)
                let question = "did you mean MARTLET_MEMORY?"
                #expect(cluster.up.errors.contains(question), "\(cluster.up.errors)")
                #expect(cluster.log(of: "n1").contains(question), "\(cluster.log(of: "n1"))")
            }
        }

        @Test func thePublisherWatchesTheFileThatAVariableNames() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let text = ClusterPlan().yaml(port: 7_400)
            let file = directory.file("cluster.yaml")
            try Data(text.utf8).write(to: file)
            let publisher = try RunningProgram(
                ["publisher", "--bind", "tcp://127.0.0.1:*", "--live", "tcp://127.0.0.1:*"],
                name: "publisher", in: directory.url, environment: ["MARTLET_CONFIG": file.path])
            defer { publisher.kill() }
            try await eventually("it listens") {
                publisher.errors.contains("publisher listens") || !publisher.isRunning
            }
            try Data((text + "defaults: {ttl: 1h}\n").utf8).write(to: file, options: .atomic)
            try await eventually("it takes the file over: \(publisher.errors)") {
                publisher.errors.contains("has changed and is taken over")
            }
            publisher.signal(SIGTERM)
            #expect(try await publisher.ended() == 0, "\(publisher.errors)")
        }
    }
}
