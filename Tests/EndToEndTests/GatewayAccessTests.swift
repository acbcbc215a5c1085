import CacheModel
import Foundation
import Testing
import TestSupport

extension EndToEndTests {
    /// Who is let in by the gateway, and where it may be reached.
    @Suite(.serialized) struct GatewayAccessTests {
        /// SHA-256 of `secret` and of `other`.
        private static let hashes = [
            "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",
            "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa",
        ]

        private static func write(_ text: String, to file: URL) throws {
            try Data(text.utf8).write(to: file, options: .atomic)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: file.path)
        }

        @Test func aTokenGrantsOnlyItsListedRightsUntilItIsRemoved() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let file = directory.file("tokens")
            try Self.write("web \(Self.hashes[0]) read,write images\n", to: file)
            let token = ["-H", "Authorization: Bearer secret"]
            try await withGateway(
                ClusterPlan(), ["--tokens", file.path], curlArguments: token
            ) { _, gateway in
                let nobody = try await gateway.curl("/v1/images/a")
                #expect(nobody.status == 401 && nobody.problem == "unauthenticated")
                #expect(nobody.fields["www-authenticate"]?.hasPrefix("Bearer") == true)
                let stranger = try await gateway.curl(
                    "/v1/images/a", ["-H", "Authorization: Bearer Secret"])
                #expect(stranger.status == 401)
                let put = try await gateway.curl(
                    "/v1/images/a", token + ["-T", "-"], input: [1])
                #expect(put.status == 204, "\(put.text)")
                #expect(try await gateway.curl("/v1/images/a", token).status == 200)
                for (path, arguments) in [
                    ("/v1/other/a", []), ("/v1/images/a", ["-X", "PURGE"]), ("/v1/cluster", []),
                    ("/v1/explain/other/a", []), ("/v1/other/a", ["-T", "-"]),
                    ("/v1/other:batch", ["--data-binary", #"{"keys":["a"]}"#]),
                    ("/v1/invalidate", ["--data-binary", #"{"everything":true}"#]),
                ] {
                    let answer = try await gateway.curl(path, token + arguments)
                    #expect(answer.status == 403 && answer.problem == "forbidden", "\(answer)")
                }
                #expect(try await gateway.curl("/v1/openapi.json").status == 200)
                // A wrong list changes nothing, a right one is taken.
                try Self.write("web\n", to: file)
                try await eventually("the wrong list is said") {
                    gateway.program.errors.contains("stays in force")
                }
                #expect(try await gateway.curl("/v1/images/a", token).status == 200)
                try Self.write("web \(Self.hashes[1]) read images\n", to: file)
                try await eventually("the token is taken out") {
                    try await gateway.curl("/v1/images/a", token).status == 401
                }
            }
        }

        @Test func whatATokenReadsIsKeptByNoCacheThatOthersShare() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let file = directory.file("tokens")
            try Self.write("web \(Self.hashes[0]) read,write images\n", to: file)
            let token = ["-H", "Authorization: Bearer secret"]
            try await withGateway(
                ClusterPlan(), ["--tokens", file.path, "--near-cache", "1MiB"],
                curlArguments: token
            ) { _, gateway in
                let put = try await gateway.curl(
                    "/v1/images/a", token + ["-T", "-", "-H", "Martlet-TTL: 60000"], input: [1])
                #expect(put.status == 204, "\(put.text)")
                // By a node, and from the gateway's own memory.
                for detail in ["memory", "near"] {
                    try await eventually("it comes from \(detail)") {
                        let answer = try await gateway.curl("/v1/images/a", token)
                        #expect(answer.status == 200)
                        let control = answer.fields["cache-control"] ?? ""
                        #expect(control.hasPrefix("private, max-age="), "\(control)")
                        #expect(answer.fields["vary"] == "Authorization")
                        #expect(answer.fields["x-accel-expires"] == nil)
                        return answer.fields["cache-status"]?.contains(detail) == true
                    }
                }
            }
        }

        @Test func aRefusedExpectContinueRequestClosesItsConnection() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let file = directory.file("tokens")
            try Self.write("web \(Self.hashes[0]) read images\n", to: file)
            let token = "Authorization: Bearer secret\r\n"
            try await withGateway(
                ClusterPlan(), ["--tokens", file.path, "--idle", "10s"],
                curlArguments: ["-H", "Authorization: Bearer secret"]
            ) { _, gateway in
                for (fields, status) in [("", "401"), (token, "403")] {
                    let socket = try TCPSocket.connected(to: gateway.port)
                    defer { socket.close() }
                    let request = "PUT /v1/images/a HTTP/1.1\r\nHost: localhost\r\n\(fields)"
                    socket.say(
                        Array("\(request)Expect: 100-continue\r\nContent-Length: 5\r\n\r\n".utf8))
                    let begun = ContinuousClock.now
                    let answer = await socket.allReceived()
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
                    #expect(ContinuousClock.now - begun < .seconds(8))
                }
            }
        }

        @Test func aPageMayOnlyWhereItsOriginIsNamed() async throws {
            let webSocket = [
                "-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "-H",
                "Sec-WebSocket-Version: 13", "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
            try await withGateway(
                ClusterPlan(), ["--allow-origin", "https://app.example"]
            ) { _, gateway in
                let page = ["-H", "Origin: https://app.example"]
                let put = try await gateway.curl("/v1/n/a", page + ["-T", "-"], input: [1])
                #expect(put.status == 204, "\(put.text)")
                let got = try await gateway.curl("/v1/n/a", page)
                #expect(got.fields["access-control-allow-origin"] == "https://app.example")
                #expect(got.fields["vary"] == "Origin")
                let missing = try await gateway.curl("/v1/n/b", page)
                #expect(missing.status == 404)
                #expect(missing.fields["access-control-allow-origin"] == "https://app.example")
                let asks = ["-X", "OPTIONS", "-H", "Access-Control-Request-Method: PUT"]
                let preflight = try await gateway.curl("/v1/n/a", page + asks)
                #expect(preflight.status == 204, "\(preflight.text)")
                #expect(preflight.fields["access-control-allow-methods"]?.contains("PUT") == true)
                for origin in ["https://evil.example", "null", "https://app.example:8443"] {
                    let other = ["-H", "Origin: \(origin)"]
                    for arguments in [["-T", "-"], ["-X", "PURGE"], asks] {
                        let answer = try await gateway.curl(
                            "/v1/n/a", other + arguments, input: [1])
                        #expect(answer.status == 403 && answer.problem == "foreign-page")
                        #expect(answer.fields["access-control-allow-origin"] == nil)
                    }
                    let read = try await gateway.curl("/v1/n/a", other)
                    #expect(read.status == 403 && read.problem == "foreign-page")
                    #expect(read.fields["access-control-allow-origin"] == nil)
                    let stream = try await gateway.curl("/v1/stream?everything", other + webSocket)
                    #expect(stream.status == 403 && stream.problem == "foreign-page")
                }
            }
        }

        @Test(arguments: [
            (["--bind", "0.0.0.0:0"], Int32(78), "--tokens"),
            (["--bind", "[::]:0"], 78, "--insecure-bind"), (["--bind", "7480"], 64, "HOST:PORT"),
            (["--bind", "::1:7480"], 64, "HOST:PORT"), (["--bind", "127.0.0.1:99999"], 64, "HOST"),
            (["--tls-key", "/nowhere"], 64, "--tls-certificate"),
            (["--tls-certificate", "/nowhere", "--tls-key", "/nowhere"], 78, "/nowhere"),
            (["--tokens", "/nowhere"], 78, "/nowhere"), (["--max-body", "65MiB"], 64, "64MiB"),
            (["--max-body", "much"], 64, "--max-body"), (["--idle", "10ms"], 64, "--idle"),
            (["--cluster", "tcp://*:1"], 64, "--cluster"),
            (["--config", "/nowhere"], 78, "nowhere"),
            (["--max-connections", "0"], 64, "--max-connections"),
            (["--key", "/nowhere"], 78, "keygen"), (["--jwt-keys", "/nowhere"], 64, "audience"),
            (["--jwt-keys", "/nowhere", "--jwt-audience", "a"], 78, "/nowhere"),
            (["--jwt-issuer", "a"], 64, "--jwt-keys"), (["--allow-origin", "*"], 78, "--tokens"),
            (["--allow-origin", "null"], 64, "origin"),
        ])
        func whatCannotBeIsSaidInALine(
            arguments: [String], code: Int32, word: String
        ) async throws {
            let ending = try await Program.run(["gateway"] + arguments)
            #expect(ending.code == code, "\(arguments): \(ending)")
            #expect(ending.complaints.count == 1, "\(ending)")
            #expect(ending.errors.contains(word), "\(ending)")
        }

        @Test func aPortInUseIsNamed() async throws {
            let taken = try TCPSocket.listening()
            defer { taken.close() }
            let ending = try await Program.run(["gateway", "--bind", "127.0.0.1:\(taken.port)"])
            #expect(ending.code == 78 && ending.complaints.count == 1, "\(ending)")
            #expect(ending.errors.contains("\(taken.port) is in use"), "\(ending)")
        }

        @Test func upRunsOneAndNamesItInTheReadyFile() async throws {
            var plan = ClusterPlan()
            plan.hasGateway = true
            // Not whom the variables of whoever starts it name.
            plan.environment = [
                "MARTLET_CLUSTER": "tcp://127.0.0.1:9", "MARTLET_TOKENS": "/nowhere",
            ]
            try await withCluster(plan) { cluster in
                let gateway = try #require(cluster.ready.gateway)
                let url = try #require(gateway.url)
                try await eventually("it reaches the cluster") {
                    try await CurlAnswer.of([url + "/v1/n/a", "-T", "-"], input: [1]).status == 204
                }
                #expect(ProcessTable.children(of: cluster.up.processID).contains(gateway.pid))
                #expect(cluster.up.output.contains(url))
            }
        }

        @Test func aSecureUpGivesItAKeyAndAsksForItsToken() async throws {
            var plan = ClusterPlan()
            plan.isSecure = true
            plan.hasGateway = true
            try await withCluster(plan) { cluster in
                let url = try #require(cluster.ready.gateway?.url)
                let file = cluster.directory.file("keys/gateway.token")
                let token = try String(contentsOf: file, encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(try await CurlAnswer.of([url + "/v1/cluster"]).status == 401)
                let answer = try await CurlAnswer.of(
                    [url + "/v1/cluster", "-H", "Authorization: Bearer \(token)"])
                #expect(answer.status == 200, "\(answer.text)")
                let mode = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(mode[.posixPermissions] as? Int == 0o600)
            }
        }
    }
}
