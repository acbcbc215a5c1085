import CacheModel
import Foundation
import MartletClient
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// A gateway in front of browsers: what a value is comes back with it.
    @Suite(.serialized) struct RepresentationTests {
        /// The head of a PNG file.
        private static let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]

        /// Also after the node that has it was killed, and has it from its disk.
        @Test func anImageThatIsPutIsAnImageAfterARestart() async throws {
            var plan = ClusterPlan()
            plan.disk = "64MiB"
            plan.respawn = "100ms"
            try await withGateway(plan) { cluster, gateway in
                let put = try await gateway.curl(
                    "/v1/default/logo.png", ["-T", "-", "-H", "Content-Type: image/png"],
                    input: Self.image)
                #expect(put.status == 204, "\(put)")
                let plain = try await gateway.curl("/v1/default/plain", ["-T", "-"], input: [1])
                #expect(plain.status == 204)
                try await Self.expectImage(gateway)
                for node in cluster.ready.nodes { ProcessTable.send(SIGKILL, to: node.pid) }
                try await eventually("every node is there again") {
                    cluster.view.nodes.allSatisfy {
                        cluster.up.errors.contains("\($0) started again")
                    }
                }
                try await cluster.view.settle()
                try await Self.expectImage(gateway)
                let other = try await gateway.curl("/v1/default/plain")
                #expect(other.fields["content-type"] == "application/octet-stream")
            }
        }

        private static func expectImage(_ gateway: Gateway) async throws {
            let get = try await gateway.curl("/v1/default/logo.png")
            #expect(get.status == 200 && get.body == Self.image, "\(get)")
            #expect(get.fields["content-type"] == "image/png")
            #expect(get.fields["x-content-type-options"] == "nosniff")
            #expect(get.fields["content-security-policy"] == "sandbox")
            let part = try await gateway.curl("/v1/default/logo.png", ["--range", "1-3"])
            #expect(part.status == 206 && part.text == "PNG")
            #expect(part.fields["content-type"] == "image/png")
        }

        @Test func contentHeadersPassFromTheOriginToClientsAndBack() async throws {
            let origin = try OriginServer { request in
                if request.method == "PUT" { return OriginServer.Answer(status: 204) }
                if request.validator == "\"e\"" {
                    return OriginServer.Answer(
                        status: 304, fields: ["ETag: \"e\"", "Content-Type: text/plain"])
                }
                return .text(
                    "body { color: red }", "ETag: \"e\"", "Cache-Control: max-age=1",
                    "Content-Type: text/css; charset=utf-8", "Content-Language: en")
            }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.namespaces = [
                "  default:", "    origin:", "      url: \(origin.url)", "      write-behind: true",
            ]
            try await withGateway(plan) { cluster, gateway in
                let get = try await gateway.curl("/v1/default/site.css")
                #expect(get.status == 200 && get.text == "body { color: red }")
                #expect(get.fields["content-type"] == "text/css; charset=utf-8")
                #expect(get.fields["content-language"] == "en")
                #expect(origin.requests.first?.acceptEncoding == "identity")
                let key = try #require(CacheKey("site.css"))
                var options = ReadOptions()
                options.wantsDetails = true
                let value = try await cluster.client.get(key, options: options)
                #expect(value?.representation.contentLanguage?.text == "en")
                try await eventually("the origin's 304 has said another type") {
                    let again = try await gateway.curl("/v1/default/site.css")
                    return again.fields["content-type"] == "text/plain"
                        && again.fields["content-language"] == "en"
                }
                let put = try await gateway.curl(
                    "/v1/default/app.js",
                    [
                        "-T", "-", "-H", "Content-Type: text/javascript", "-H",
                        "Content-Encoding: gzip",
                    ], input: [1, 2, 3])
                #expect(put.status == 204, "\(put)")
                let told = origin.requests.first { $0.method == "PUT" }
                #expect(told?.contentType == "text/javascript" && told?.body == [1, 2, 3])
                #expect(told?.contentEncoding == "gzip")
            }
        }
    }
}
