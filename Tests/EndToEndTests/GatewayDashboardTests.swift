import Foundation
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct GatewayDashboardTests {
        @Test func theGatewayRedirectsItsRootToTheDashboard() async throws {
            try await withGateway { _, gateway in
                let root = try await gateway.curl("/")
                #expect(root.status == 302 && root.fields["location"] == "dashboard")
                let page = try await gateway.curl("/dashboard")
                #expect(page.status == 200 && page.text.hasPrefix("<!doctype html>"))
                #expect(page.fields["content-type"] == "text/html; charset=utf-8")
                #expect(page.fields["content-security-policy"]?.contains("'none'") == true)
                let tag = try #require(page.fields["etag"])
                let again = try await gateway.curl("/dashboard", ["-H", "If-None-Match: \(tag)"])
                #expect(again.status == 304 && again.text.isEmpty)
                let head = try await gateway.curl("/dashboard", ["-I"])
                #expect(head.status == 200 && head.text.isEmpty)
                #expect(head.fields["content-length"] == page.fields["content-length"])
                let put = try await gateway.curl("/dashboard", ["-T", "-"], input: [1])
                #expect(put.status == 405 && put.fields["allow"] == "GET, HEAD")
            }
        }

        @Test func theClusterIsToldShardByShard() async throws {
            try await withGateway { _, gateway in
                let put = try await gateway.curl("/v1/n/a", ["-T", "-"], input: [1])
                #expect(put.status == 204)
                #expect(try await gateway.curl("/v1/n/a").status == 200)
                let purge = try await gateway.curl("/v1/n/b", ["-X", "PURGE"])
                #expect(purge.status == 200)
                let answer = try await gateway.curl("/v1/cluster").json
                #expect(answer["head"] as? String == "1:1")
                let nodes = try #require(answer["nodes"] as? [[String: Any]])
                var hits = 0
                for node in nodes {
                    #expect(node["lag"] as? Int == 0 && (node["age_ms"] as? Int ?? -1) >= 0)
                    let shards = try #require(node["shards"] as? [[String: Any]])
                    #expect(shards.map { $0["shard"] as? Int } == [0])
                    for shard in shards {
                        #expect(shard["state"] as? String == "LIVE" && shard["lag"] as? Int == 0)
                        #expect(shard["applied"] as? String == "1:1")
                        #expect(shard["incarnation"] is String && shard["lease_ms"] is Int)
                        let figures = try #require(shard["figures"] as? [String: Int])
                        hits += figures["hits"] ?? 0
                        #expect(figures["memory_bytes"] != nil && figures["entries"] != nil)
                    }
                }
                #expect(hits == 1)
            }
        }

        @Test func clusterStatusReportsReachableNodesWhenOneIsUnreachable() async throws {
            try await withGateway { cluster, gateway in
                let victim = try #require(cluster.ready.nodes.first)
                ProcessTable.send(SIGKILL, to: victim.pid)
                try await eventually("the node is told as unreachable") {
                    let answer = try await gateway.curl("/v1/cluster")
                    let nodes = try answer.json["nodes"] as? [[String: Any]] ?? []
                    let others = nodes.filter { $0["node"] as? String != victim.id }
                    let lost = nodes.first { $0["node"] as? String == victim.id }
                    return lost?["reachable"] as? Bool == false && lost?["why"] is String
                        && lost?["shards"] == nil
                        && others.allSatisfy { $0["reachable"] as? Bool == true }
                }
            }
        }
    }
}
