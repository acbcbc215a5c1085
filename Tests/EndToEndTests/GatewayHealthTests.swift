import Foundation
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// What a gateway tells those who watch it, and how it ends while it starts.
    @Suite(.serialized) struct GatewayHealthTests {
        /// Where a gateway answers for its health.
        static func health(of program: RunningProgram) throws -> String {
            let range = try #require(
                program.errors.range(of: "metrics and health are answered on "),
                "\(program.errors)")
            return String(program.errors[range.upperBound...].prefix { !$0.isWhitespace })
        }

        private static func metrics(_ url: String) async throws -> [String] {
            let answer = try await CurlAnswer.of([url + "/metrics"])
            #expect(answer.status == 200)
            return answer.text.components(separatedBy: "\n")
        }

        @Test func metricsCountGatewayRequestsAndShowReachableNodes() async throws {
            try await withGateway(ClusterPlan(), ["--http", "0"]) { _, gateway in
                let url = try Self.health(of: gateway.program)
                for path in ["/livez", "/readyz", "/healthz"] {
                    #expect(try await CurlAnswer.of([url + path]).status == 200, "\(path)")
                }
                for _ in 0..<5 {
                    _ = try await gateway.curl("/v1/images/a", ["-X", "PUT", "-d", "value"])
                }
                #expect(try await gateway.curl("/v1/images/b").status == 404)
                #expect(try await gateway.curl("/v1/%zz/b").status == 400)
                let route = #"{route="/v1/{namespace}/{key}","#
                let wanted = [
                    "martlet_gateway_requests_total\(route)method=\"PUT\",status=\"2xx\"} 5",
                    "martlet_gateway_requests_total\(route)method=\"GET\",status=\"4xx\"} 2",
                    "martlet_gateway_received_body_bytes_total",
                    "martlet_gateway_cluster_operations_total{operation=\"set\"} 5",
                    "martlet_gateway_problems_total{problem=\"malformed-target\"} 1",
                    "martlet_gateway_node_reached{node=\"n1\"} 1",
                    "martlet_gateway_publisher_reached 1",
                    "martlet_build_info{version=",
                ]
                try await eventually("everything is shown") {
                    let lines = try await Self.metrics(url)
                    return wanted.allSatisfy { line in lines.contains { $0.hasPrefix(line) } }
                }
                // The API has a port of its own.
                #expect(try await gateway.curl("/metrics").status == 404)
                #expect(try await CurlAnswer.of([url + "/v1/images/a"]).status == 404)
            }
        }

        /// Nobody is at that place: it looks for its nodes as long as it may.
        @Test func aSignalWhileItLooksForItsNodesEndsItInOrder() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let program = try RunningProgram(
                [
                    "gateway", "--bind", "127.0.0.1:0", "--cluster", "tcp://127.0.0.1:9",
                    "--http", "0", "--log-level", "debug",
                ], name: "gateway", in: directory.url)
            defer { program.kill() }
            try await eventually("it looks") { program.errors.contains("looks for the nodes") }
            let url = try Self.health(of: program)
            #expect(try await CurlAnswer.of([url + "/livez"]).status == 200)
            let ready = try await CurlAnswer.of([url + "/readyz"])
            #expect(ready.status == 503 && ready.text.contains("looks for the nodes"))
            program.signal(SIGTERM)
            #expect(try await program.ended() == 0, "\(program.errors)")
            #expect(!program.errors.contains("the gateway listens on"), "\(program.errors)")
        }
    }
}
