import Foundation
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.serialized) struct GatewayTLSTests {
        @Test(arguments: [("--http1.1", "HTTP/1.1"), ("--http2", "HTTP/2")])
        func overTLSBothVersionsAreSpoken(flag: String, version: String) async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let certificate = try await SelfSigned.made(in: directory)
            let trust = [flag, "--cacert", certificate.chain]
            try await withGateway(
                ClusterPlan(), certificate.arguments, curlArguments: trust
            ) { _, gateway in
                #expect(gateway.url.hasPrefix("https://"))
                let value = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let put = try await gateway.curl("/v1/n/a%00b", trust + ["-T", "-"], input: value)
                #expect(put.status == 204 && put.version == version, "\(put)")
                let get = try await gateway.curl("/v1/n/a%00b", trust)
                #expect(get.status == 200 && get.version == version && get.body == value)
                let head = try await gateway.curl("/v1/n/a%00b", trust + ["--head"])
                #expect(head.fields["content-length"] == "\(value.count)" && head.body.isEmpty)
                let purged = try await gateway.curl("/v1/n/a%00b", trust + ["-X", "PURGE"])
                #expect(purged.status == 200)
                let wrong = try await gateway.curl("/v1/n/a?b", trust)
                #expect(wrong.status == 400 && wrong.problem == "malformed-target")
                let host = try await gateway.curl("/v1/n/a", trust + ["-H", "Host: evil.example"])
                #expect(host.status == 421)
            }
        }

        /// A stream of HTTP/2 has no socket whose options could be set.
        @Test(arguments: [("--http1.1", "HTTP/1.1"), ("--http2", "HTTP/2")])
        func overTLSBothVersionsAreSentEvents(flag: String, version: String) async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let certificate = try await SelfSigned.made(in: directory)
            let trust = [flag, "--cacert", certificate.chain]
            // It stays for far longer than a connection may be silent.
            let arguments = certificate.arguments + ["--idle", "1s"]
            try await withGateway(ClusterPlan(), arguments, curlArguments: trust) { _, gateway in
                let first = try await gateway.curl("/v1/n/a", trust + ["-X", "PURGE"])
                let position = try #require(first.fields["martlet-position"])
                #expect(try await gateway.curl("/v1/n/b", trust + ["-X", "PURGE"]).status == 200)
                // It ends when curl has had enough, which is long after what is asked for.
                let begun = ContinuousClock.now
                let events = try await gateway.curl(
                    "/v1/stream?everything&after=\(position)", trust + ["-N", "--max-time", "5"])
                #expect(events.status == 200 && events.version == version, "\(events)")
                #expect(events.text.contains("event: hello\n"), "\(events.text)")
                #expect(events.text.contains("event: record\n"), "\(events.text)")
                #expect(ContinuousClock.now - begun >= .seconds(5))
                #expect(try await gateway.curl("/v1/n/a", trust).status == 404)
            }
        }

        /// A gateway with a certificate of its own, and the directory with that.
        private static func withTLS(
            _ arguments: [String] = [],
            _ story: (Gateway, TemporaryDirectory) async throws -> Void
        ) async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let certificate = try await SelfSigned.made(in: directory)
            try await withGateway(
                ClusterPlan(), certificate.arguments + arguments,
                curlArguments: ["--cacert", certificate.chain]
            ) { _, gateway in try await story(gateway, directory) }
        }

        /// As a tool does that renews certificates: two files, one after the other.
        @Test func aRenewedCertificateIsUsedForNewConnections() async throws {
            try await Self.withTLS { gateway, directory in
                let old = [
                    "--cacert",
                    try directory.write(
                        try directory.read("chain.pem"), to: "old.pem"),
                ]
                let other = try TemporaryDirectory()
                let new = ["--cacert", try await SelfSigned.made(in: other).chain]
                try directory.write(try other.read("key.pem"), to: "key.pem")
                try await eventually("the gateway says that the key is not the certificate's") {
                    gateway.program.errors.contains("the last right certificate stays in force")
                }
                #expect(try await gateway.curl("/v1/n/a", old).status == 404)
                try directory.write(try other.read("chain.pem"), to: "chain.pem")
                try await eventually("the gateway says that the new one is in force") {
                    gateway.program.errors.contains("chain.pem is in force")
                }
                #expect(try await gateway.curl("/v1/n/a", new).status == 404)
                await #expect(throws: (any Error).self) {
                    try await gateway.curl("/v1/n/a", old)
                }
            }
        }

        @Test func overTLSWhoSaysNothingIsHungUpOn() async throws {
            try await Self.withTLS(["--idle", "1s"]) { gateway, _ in
                let silent = try TCPSocket.connected(to: gateway.port)
                defer { silent.close() }
                // The first bytes of a handshake.
                let slow = try TCPSocket.connected(to: gateway.port)
                defer { slow.close() }
                slow.say([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
                try await eventually("both are hung up on") {
                    silent.isHungUpOn && slow.isHungUpOn
                }
            }
        }

        /// The connection's preface and SETTINGS; the same and a request that ends, or does not.
        @Test(arguments: [
            [],
            HTTP2Words.preface, HTTP2Words.preface + HTTP2Words.request(isWhole: true),
            HTTP2Words.preface + HTTP2Words.request(isWhole: false),
        ])
        func anHTTP2ConnectionThatIgnoresPingsIsClosed(said: [UInt8]) async throws {
            try await Self.withTLS(["--idle", "1s"]) { gateway, directory in
                let client = try TLSClient(
                    to: gateway.port, ["-alpn", "h2"], saying: said, in: directory)
                defer { client.close() }
                try await eventually("it is hung up on") { !client.isConnected }
                #expect(try client.text.contains("ALPN protocol: h2"))
            }
        }

        @Test(arguments: [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
        func lessThanTLS12IsNotSpoken(flag: String, isSpoken: Bool) async throws {
            try await Self.withTLS { gateway, directory in
                let request = "GET /v1/n/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                // openssl itself does not speak it with less.
                let client = try TLSClient(
                    to: gateway.port, [flag, "-cipher", "DEFAULT@SECLEVEL=0"],
                    saying: Array(request.utf8), in: directory)
                defer { client.close() }
                try await eventually("it is over") { !client.isConnected }
                let text = try client.text
                #expect(text.contains("HTTP/1.1 404") == isSpoken, "\(text)")
                #expect(text.contains("alert protocol version") == !isSpoken, "\(text)")
            }
        }
    }
}
