import Foundation
import Testing

extension EndToEndTests {
    @Suite(.serialized) struct GatewayTLSTests {
        /// A certificate for 127.0.0.1 that signs itself.
        private static func makeCertificate(in directory: TemporaryDirectory) async throws {
            let openssl = Process()
            openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            openssl.arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=gateway",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                directory.file("key.pem").path, "-out", directory.file("chain.pem").path,
            ]
            openssl.standardOutput = FileHandle.nullDevice
            openssl.standardError = FileHandle.nullDevice
            try openssl.run()
            try await eventually("openssl ends") { !openssl.isRunning }
            guard openssl.terminationStatus == 0 else { throw GaveUp("openssl made nothing") }
        }

        @Test(arguments: [("--http1.1", "HTTP/1.1"), ("--http2", "HTTP/2")])
        func overTLSBothVersionsAreSpoken(flag: String, version: String) async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            try await Self.makeCertificate(in: directory)
            let chain = directory.file("chain.pem").path
            let arguments = [
                "--tls-certificate", chain, "--tls-key", directory.file("key.pem").path,
            ]
            let trust = [flag, "--cacert", chain]
            try await withGateway(ClusterPlan(), arguments, curlArguments: trust) { _, gateway in
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
            try await Self.makeCertificate(in: directory)
            let chain = directory.file("chain.pem").path
            let arguments = [
                "--tls-certificate", chain, "--tls-key", directory.file("key.pem").path,
            ]
            let trust = [flag, "--cacert", chain]
            try await withGateway(ClusterPlan(), arguments, curlArguments: trust) { _, gateway in
                let first = try await gateway.curl("/v1/n/a", trust + ["-X", "PURGE"])
                let position = try #require(first.fields["martlet-position"])
                #expect(try await gateway.curl("/v1/n/b", trust + ["-X", "PURGE"]).status == 200)
                // It ends when curl has had enough, which is long after what is asked for.
                let events = try await gateway.curl(
                    "/v1/stream?everything&after=\(position)", trust + ["-N", "--max-time", "5"])
                #expect(events.status == 200 && events.version == version, "\(events)")
                #expect(events.text.contains("event: hello\n"), "\(events.text)")
                #expect(events.text.contains("event: record\n"), "\(events.text)")
                #expect(try await gateway.curl("/v1/n/a", trust).status == 404)
            }
        }
    }
}
