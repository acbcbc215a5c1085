import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

/// A publisher and one node, each started by hand, with a proxy in the live channel between them.
struct ProxiedCluster: Sendable {
    let publisher: RunningProgram
    let node: RunningProgram
    let proxy: LiveProxy
    let view: ClusterView

    static let nodeID = "n1"

    fileprivate static func start(
        _ plan: ClusterPlan, in directory: TemporaryDirectory
    ) async throws -> ProxiedCluster {
        var plan = plan
        plan.nodeCount = 1
        for attempt in 0..<10 {
            let port = UInt16.random(in: 20_000..<31_900)
            let file = directory.file("cluster.yaml")
            try Data(plan.yaml(port: port, areNodesPlaced: false).utf8).write(to: file)
            let proxy = try LiveProxy(to: port + 1)
            let publisher = try RunningProgram(
                ["publisher", "--config", file.path, "--advertise-live", proxy.endpoint],
                name: "publisher-\(attempt)", in: directory.url)
            let endpoint = "tcp://127.0.0.1:\(port)"
            let node: RunningProgram
            do {
                node = try RunningProgram(
                    ["node", "--id", nodeID, "--publisher", endpoint, "--live", proxy.endpoint],
                    name: "node-\(attempt)", in: directory.url)
            } catch {
                publisher.kill()
                proxy.stop()
                throw error
            }
            let cluster = ProxiedCluster(
                publisher: publisher, node: node, proxy: proxy,
                view: try ClusterView(
                    endpoint: endpoint, nodes: [try #require(NodeID(nodeID))],
                    isReplicated: false))
            do {
                try await cluster.view.settle()
                return cluster
            } catch {
                let errors = publisher.errors + node.errors
                cluster.clear()
                if !errors.contains("in use") { throw GaveUp("\(error)\n\(errors)") }
            }
        }
        throw GaveUp("ten random ports were all in use")
    }

    fileprivate func clear() {
        node.kill()
        publisher.kill()
        proxy.stop()
    }
}

/// Tells a story in a proxied cluster of its own.
func withProxiedCluster(
    _ plan: ClusterPlan = ClusterPlan(), _ story: (ProxiedCluster) async throws -> Void
) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let cluster = try await ProxiedCluster.start(plan, in: directory)
    defer { cluster.clear() }
    do {
        try await story(cluster)
    } catch {
        Issue.record("\(error)\n\(cluster.publisher.errors)\n\(cluster.node.errors)")
    }
    await cluster.view.client.close()
    #expect(cluster.publisher.isRunning && cluster.node.isRunning, "a process has ended")
}
