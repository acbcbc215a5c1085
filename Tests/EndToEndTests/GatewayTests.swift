import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.serialized) struct GatewayTests {
        @Test func aValueIsPutReadRevalidatedAndRemoved() async throws {
            try await withGateway { cluster, gateway in
                let put = try await gateway.curl(
                    "/v1/pages/a/b%20c",
                    [
                        "-T", "-", "-H", "Surrogate-Key: news", "-H", "Martlet-TTL: 60000",
                        "-H", "Martlet-Version: 7",
                    ], input: Array("hello".utf8))
                #expect(put.status == 204, "\(put)")
                let get = try await gateway.curl("/v1/pages/a%2Fb%20c")
                #expect(get.status == 200 && get.text == "hello")
                #expect(get.version == "HTTP/1.1")
                #expect(get.fields["etag"] == "\"v7\"")
                #expect(
                    get.fields["cache-control"].map { ["max-age=60", "max-age=59"].contains($0) }
                        == true)
                #expect(get.fields["surrogate-key"] == "news")
                #expect(get.fields["cache-groups"] == "\"news\"")
                #expect(get.fields["content-length"] == "5")
                #expect(get.fields["date"]?.hasSuffix("GMT") == true)
                #expect(get.fields["cache-status"]?.hasPrefix("Martlet; hit; ttl=") == true)
                let position = try #require(get.fields["martlet-position"])
                #expect(ClusterPosition(position) != nil)
                let head = try await gateway.curl("/v1/pages/a/b%20c", ["--head"])
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.fields["content-length"] == "5")
                let same = try await gateway.curl(
                    "/v1/pages/a/b%20c", ["-H", "If-None-Match: \"v7\""])
                #expect(same.status == 304 && same.body.isEmpty)
                let other = try await gateway.curl("/v1/pages/a/b%20c", ["-H", "If-Match: \"v8\""])
                #expect(other.status == 412 && other.problem == "precondition-failed")
                // The same bytes, as a client sees them that speaks ZeroMQ.
                let key = try #require(CacheKey("a/b c"))
                let namespace = try #require(Namespace("pages"))
                #expect(
                    try await cluster.client.get(key, in: namespace)?.bytes == Array("hello".utf8))
                let gone = try await gateway.curl("/v1/pages/a/b%20c", ["-X", "DELETE"])
                #expect(gone.status == 204)
                let after = try #require(gone.fields["martlet-position"])
                let absent = try await gateway.curl(
                    "/v1/pages/a/b%20c", ["-H", "Martlet-At-Least: \(after)"])
                #expect(absent.status == 404 && absent.problem == "not-found", "\(absent)")
                #expect(absent.fields["cache-status"] == "Martlet; fwd=miss")
                let cached = try await gateway.curl(
                    "/v1/pages/x", ["-H", "Cache-Control: only-if-cached"])
                #expect(cached.status == 504 && cached.problem == "not-cached")
            }
        }

        @Test func anyBytesAreKeysAndLongValuesComeBackWhole() async throws {
            try await withGateway { _, gateway in
                let path =
                    "/v1/default/"
                    + (0...255).map {
                        "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16)
                    }.joined()
                // Longer than a piece, than a frame, and than curl sends without asking first.
                let value = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
                let put = try await gateway.curl(path, ["-T", "-"], input: value)
                #expect(put.status == 204, "\(put.text)")
                let get = try await gateway.curl(path)
                #expect(get.status == 200 && get.body == value)
                let longest = "/v1/default/" + String(repeating: "%ff", count: 4_096)
                let empty = try await gateway.curl(longest, ["-T", "-"])
                #expect(empty.status == 204, "\(empty.text)")
                let back = try await gateway.curl(longest)
                #expect(back.status == 200 && back.body.isEmpty)
            }
        }

        @Test func aTagIsPurgedWithAReceiptAndADryRunCounts() async throws {
            try await withGateway { _, gateway in
                for key in ["a", "b", "c"] {
                    let tags = key == "c" ? "other" : "front%20page"
                    let put = try await gateway.curl(
                        "/v1/n/\(key)", ["-T", "-", "-H", "Surrogate-Key: \(tags)"],
                        input: [1, 2, 3])
                    #expect(put.status == 204)
                }
                let dry = try await gateway.curl(
                    "/v1/invalidate",
                    [
                        "--data-binary",
                        #"{"namespace":"n","tags":["front page"],"dry_run":true}"#,
                    ])
                #expect(dry.status == 200)
                #expect(try dry.json["entries"] as? Int == 2, "\(dry.text)")
                let purged = try await gateway.curl(
                    "/v1/n", ["-X", "PURGE", "-H", "Cache-Groups: \"front page\""])
                #expect(purged.status == 200, "\(purged.text)")
                #expect(try purged.json["complete"] as? Bool == true)
                #expect(try (purged.json["applied"] as? [Any])?.count == 3)
                #expect(purged.fields["cache-group-invalidation"] == "\"front page\"")
                for (key, status) in [("a", 404), ("b", 404), ("c", 200)] {
                    #expect(try await gateway.curl("/v1/n/\(key)").status == status)
                }
                let one = try await gateway.curl("/v1/n/c", ["-X", "PURGE"])
                #expect(one.status == 200)
                #expect(try await gateway.curl("/v1/n/c").status == 404)
            }
        }

        @Test func aBatchAnswersEachKeyByItself() async throws {
            try await withGateway { _, gateway in
                for (key, value) in [("a", [UInt8](Array("one".utf8))), ("b", [0xFF, 0x00])] {
                    let put = try await gateway.curl("/v1/n/\(key)", ["-T", "-"], input: value)
                    #expect(put.status == 204)
                }
                let batch = try await gateway.curl(
                    "/v1/n:batch", ["--data-binary", #"{"keys":["a",{"base64":"Yg=="},"c"]}"#])
                #expect(batch.status == 200, "\(batch.text)")
                let results = try #require(try batch.json["results"] as? [[String: Any]])
                #expect(results.map { $0["status"] as? Int } == [200, 200, 404])
                #expect(results[0]["value"] as? String == "one")
                #expect(results[1]["value_base64"] as? String == "/wA=")
            }
        }

        /// The fill race, over HTTP: the row is read, changed and invalidated, and then stored.
        @Test func aValueThatWasLoadedTooEarlyIsRefused() async throws {
            try await withGateway { _, gateway in
                let ask = ["-H", "Martlet-Token: ?1"]
                let miss = try await gateway.curl("/v1/n/a", ask)
                #expect(miss.status == 404)
                let token = try #require(miss.fields["martlet-token"])
                let second = try await gateway.curl("/v1/n/a", ask)
                #expect(second.status == 404 && second.fields["martlet-token"] == nil)
                #expect(second.fields["retry-after"] != nil)
                #expect(try await gateway.curl("/v1/n/a", ["-X", "PURGE"]).status == 200)
                let late = try await gateway.curl(
                    "/v1/n/a", ["-T", "-", "-H", "Martlet-Token: \(token)"], input: [1])
                #expect(late.status == 409, "\(late.text)")
                #expect(try await gateway.curl("/v1/n/a").status == 404)

                let next = try #require(
                    try await gateway.curl("/v1/n/a", ask).fields["martlet-token"])
                let stored = try await gateway.curl(
                    "/v1/n/a", ["-T", "-", "-H", "Martlet-Token: \(next)"], input: [2])
                #expect(stored.status == 204 && stored.fields["martlet-fenced"] == "?1")
                let read = try await gateway.curl("/v1/n/a")
                #expect(read.status == 200 && read.fields["martlet-fenced"] == "?1")
                let made = try await gateway.curl(
                    "/v1/n/a", ["-T", "-", "-H", "Martlet-Token: AAAA"], input: [3])
                #expect(made.status == 409)
            }
        }

        @Test func aBatchGivesRightsAndStoresByThem() async throws {
            try await withGateway { _, gateway in
                let asked = try await gateway.curl(
                    "/v1/n:batch",
                    ["-H", "Martlet-Token: ?1", "--data-binary", #"{"keys":["a","b"]}"#])
                let offers = try #require(try asked.json["results"] as? [[String: Any]])
                let tokens = offers.compactMap { $0["token"] as? String }
                try #require(tokens.count == 2)
                #expect(try await gateway.curl("/v1/n/b", ["-X", "PURGE"]).status == 200)
                let body =
                    #"{"stores":[{"key":"a","value":"1","token":"\#(tokens[0])"},"#
                    + #"{"key":"b","value":"2","token":"\#(tokens[1])"},{"key":"c","value":"3"}]}"#
                let stored = try await gateway.curl("/v1/n:batch", ["--data-binary", body])
                let results = try #require(try stored.json["results"] as? [[String: Any]])
                #expect(results.map { $0["status"] as? Int } == [204, 409, 204])
                #expect(results[0]["fenced"] as? Bool == true)
                #expect(results[2]["fenced"] as? Bool == false)
                let blind = try await gateway.curl("/v1/n/c")
                #expect(blind.text == "3" && blind.fields["martlet-fenced"] == "?0")
            }
        }

        @Test func operatorsSeeTheClusterAndTheDocument() async throws {
            try await withGateway { _, gateway in
                let cluster = try await gateway.curl("/v1/cluster")
                #expect(cluster.status == 200)
                let nodes = try #require(try cluster.json["nodes"] as? [[String: Any]])
                #expect(nodes.map { $0["state"] as? String } == ["LIVE", "LIVE", "LIVE"])
                let put = try await gateway.curl("/v1/n/a", ["-T", "-"], input: [1])
                #expect(put.status == 204)
                let explained = try await gateway.curl("/v1/explain/n/a")
                #expect(explained.status == 200 && explained.text.contains("fresh"))
                let document = try await gateway.curl("/v1/openapi.json")
                #expect(try document.json["openapi"] as? String == "3.2.0")
                let older = try await gateway.curl("/v1/openapi-3.1.json")
                #expect(try older.json["openapi"] as? String == "3.1.1")
            }
        }

        @Test func aClusterThatIsNotThereIsSaidInTime() async throws {
            let taken = try TCPSocket.listening()
            let port = taken.port
            taken.close()
            let gateway = try await Gateway.start(
                "tcp://127.0.0.1:\(port)", ["--timeout", "500ms"])
            defer { gateway.clear() }
            for arguments in [[], ["-X", "DELETE"], ["-X", "PURGE"], ["-T", "-"]] {
                let answer = try await gateway.curl("/v1/n/a", arguments)
                #expect(answer.status == 503 && answer.problem == "unreachable", "\(answer)")
                #expect(answer.fields["retry-after"] == "1")
            }
            try await gateway.stop()
        }
    }
}
