import CacheModel
import Foundation
import Testing
import TestSupport

extension EndToEndTests {
    /// Requests that are none, have no end, or are never read.
    @Suite(.serialized) struct GatewayHostileTests {
        /// What is answered to bytes, until the gateway hangs up or has said that much.
        private static func answer(
            to bytes: [UInt8], at port: UInt16, upTo most: Int = .max
        ) async throws -> String {
            let socket = try TCPSocket.connected(to: port)
            defer { socket.close() }
            socket.say(bytes)
            return await answer(on: socket, upTo: most)
        }

        private static func answer(on socket: TCPSocket, upTo most: Int = .max) async -> String {
            await socket.allReceived(upTo: most)
        }

        private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

        /// The kinds of the problems in what was answered.
        private static func problems(in answers: String) -> [Substring] {
            answers.components(separatedBy: "urn:martlet:problem:").dropFirst().map {
                $0.prefix { $0 != "\"" }
            }
        }

        @Test func whatIsNoRequestIsAnsweredAndHungUpOn() async throws {
            try await withGateway { _, gateway in
                let long = String(repeating: "a", count: 200_000)
                let many = String(repeating: "X: a\r\n", count: 200)
                let host = "Host: localhost\r\n"
                for (bytes, status, word) in [
                    (Self.bytes("GARBAGE\r\n\r\n"), "400", "malformed-target"),
                    ([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0xFF], "400", "malformed-target"),
                    (Self.bytes("GET /\u{ff} HTTP/1.1\r\n\(host)\r\n"), "400", "malformed-target"),
                    (Self.bytes("BAN / HTTP/1.1\r\n\(host)\r\n"), "400", "malformed-target"),
                    (
                        Self.bytes("GET /v1/n/\(long) HTTP/1.1\r\n\(host)\r\n"), "431",
                        "head-too-large"
                    ),
                    (Self.bytes("GET / HTTP/1.1\r\nX: \(long)\r\n\r\n"), "431", "head-too-large"),
                    (Self.bytes("GET / HTTP/1.1\r\n\(many)\r\n"), "431", "head-too-large"),
                ] {
                    let answer = try await Self.answer(to: bytes, at: gateway.port)
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                    #expect(answer.contains("urn:martlet:problem:\(word)"), "\(answer)")
                }
                let answer = try await gateway.curl("/v1/n/a")
                #expect(answer.status == 404)
            }
        }

        @Test(arguments: [
            ("HTTP/1.1\r\nHost: localhost\r\nConnection: close", "HTTP/1.1 404"),
            ("HTTP/1.1\r\nHost: localhost\r\nConnection: te, Close", "HTTP/1.1 404"),
            ("HTTP/1.0", "HTTP/1.0 404"),
            ("HTTP/1.0\r\nConnection: keep-alive", "HTTP/1.0 404"),
            ("HTTP/1.1", "HTTP/1.1 400"),
            ("HTTP/1.1\r\nHost: localhost\r\nHost: example.com", "HTTP/1.1 400"),
        ])
        func theLastRequestOfAConnectionIsTheLast(head: String, line: String) async throws {
            try await withGateway { _, gateway in
                let next = "GET /v1/n/b HTTP/1.1\r\nHost: localhost\r\n\r\n"
                // It is not the other side that ends it.
                let socket = try TCPSocket.connected(to: gateway.port)
                defer { socket.close() }
                socket.say(Self.bytes("GET /v1/n/a \(head)\r\n\r\n\(next)"))
                let answer = await Self.answer(on: socket)
                #expect(answer.hasPrefix(line), "\(answer)")
                #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
                #expect(Self.problems(in: answer).count == 1, "\(answer)")
            }
        }

        @Test(arguments: ["gzip, chunked", "foo, chunked", "gzip, deflate, Chunked"])
        func aBodyInAnotherTransferCodingIsNotStored(coding: String) async throws {
            try await withGateway { _, gateway in
                let answer = try await Self.answer(
                    to: Self.bytes(
                        "PUT /v1/n/a HTTP/1.1\r\nHost: localhost\r\n"
                            + "Transfer-Encoding: \(coding)\r\n\r\n1\r\na\r\n0\r\n\r\n"),
                    at: gateway.port)
                #expect(answer.hasPrefix("HTTP/1.1 501"), "\(answer)")
                #expect(answer.contains("urn:martlet:problem:unknown-coding"), "\(answer)")
                #expect(try await gateway.curl("/v1/n/a").status == 404)
            }
        }

        @Test func aMalformedChunkedBodyIsRefused() async throws {
            try await withGateway { _, gateway in
                for body in ["-1\r\n", "fffffffffffffffff\r\n", "1\r\naX\r\n", "1\na\n0\n\n"] {
                    let answer = try await Self.answer(
                        to: Self.bytes(
                            "PUT /v1/n/a HTTP/1.1\r\nHost: localhost\r\n"
                                + "Transfer-Encoding: chunked\r\n\r\n\(body)"), at: gateway.port)
                    #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
                    #expect(answer.contains("urn:martlet:problem:malformed-body"), "\(answer)")
                }
                #expect(try await gateway.curl("/v1/n/a").status == 404)
            }
        }

        @Test(arguments: ["GARBAGE\r\n\r\n", "GET /v1/n/b HTTP/1.1\r\n\r\n"])
        func whatIsNoRequestIsAnsweredBehindThoseBeforeIt(garbage: String) async throws {
            try await withGateway { _, gateway in
                let request = "GET /v1/n/a HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let answer = try await Self.answer(
                    to: Self.bytes(request + request + garbage), at: gateway.port)
                let problems = Self.problems(in: answer)
                #expect(problems.prefix(2) == ["not-found", "not-found"], "\(answer)")
                #expect(problems.count == 3 && problems[2].hasPrefix("malformed-"), "\(answer)")
            }
        }

        @Test func aRefusedHEADHasNoBodyAndTheNextRequestIsAnswered() async throws {
            try await withGateway { _, gateway in
                let requests =
                    "HEAD /v1/n/a HTTP/1.1\r\nHost: example.com\r\n\r\n"
                    + "GET /v1/n/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                let answers = try await Self.answer(to: Self.bytes(requests), at: gateway.port)
                let parts = answers.components(separatedBy: "HTTP/1.1 ").dropFirst()
                #expect(parts.map { $0.prefix(3) } == ["421", "404"], "\(answers)")
                #expect(parts.first?.hasSuffix("\r\n\r\n") == true, "\(answers)")
            }
        }

        @Test(arguments: [
            ("GET /v1/n/a", "h2c", "404"), ("GET /v1/stream?everything", "h2c", "400"),
            ("PUT /v1/n/a", "websocket", "204"),
        ])
        func anUpgradeOfferIsIgnoredAndItsConnectionClosed(
            request: String, upgrade: String, status: String
        ) async throws {
            try await withGateway { _, gateway in
                let answer = try await Self.answer(
                    to: Self.bytes(
                        "\(request) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                            + "Upgrade: \(upgrade)\r\nContent-Length: 0\r\n\r\n"
                            + "GET /v1/n/a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                    at: gateway.port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                #expect(answer.lowercased().contains("connection: close"), "\(answer)")
                // What came behind it was not taken for a request.
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
            }
        }

        @Test func behindARequestWithABodyAndUpgradeNothingIsTaken() async throws {
            // Nobody answers there, so that the request waits.
            let silent = try TCPSocket.listening()
            defer { silent.close() }
            let gateway = try await Gateway.start(
                "tcp://127.0.0.1:\(silent.port)", ["--timeout", "30s"])
            defer { gateway.clear() }
            let socket = try TCPSocket.connected(to: gateway.port)
            defer { socket.close() }
            socket.say(
                Self.bytes(
                    "PUT /v1/n/a HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                        + "Upgrade: h2c\r\nContent-Length: 1\r\n\r\na"))
            // More than all that systems hold for a connection.
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            var taken = 0
            while taken < 64, socket.say(piece) { taken += 1 }
            #expect(taken < 64)
        }

        @Test func halfABodyIsNeverStored() async throws {
            try await withGateway { _, gateway in
                let head = "PUT /v1/n/half HTTP/1.1\r\nHost: localhost\r\n"
                for rest in [
                    "Content-Length: 10\r\n\r\nhello",
                    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                ] {
                    let socket = try TCPSocket.connected(to: gateway.port)
                    socket.say(Self.bytes(head + rest))
                    socket.shutDown()
                    socket.close()
                }
                // Asked for behind them on a connection that works, so that they had their time.
                try await eventually("both are over") {
                    try await gateway.curl("/v1/n/half").status == 404
                }
                let whole = try await Self.answer(
                    to: Self.bytes(
                        head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello"),
                    at: gateway.port)
                #expect(whole.hasPrefix("HTTP/1.1 204"))
                #expect(try await gateway.curl("/v1/n/half").text == "hello")
            }
        }

        @Test func aBodyBeyondTheBoundIsRefusedBeforeItIsSent() async throws {
            try await withGateway(ClusterPlan(), ["--max-body", "1MiB"]) { _, gateway in
                let much = [UInt8](repeating: 7, count: 3 << 20)
                let announced = try await Self.answer(
                    to: Self.bytes(
                        "PUT /v1/n/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                            + "Content-Length: 9999999999\r\n\r\n"), at: gateway.port)
                #expect(announced.hasPrefix("HTTP/1.1 413"), "\(announced)")
                #expect(announced.contains("body-too-large"))
                let chunked = try await gateway.curl(
                    "/v1/n/a", ["-T", "-", "-H", "Transfer-Encoding: chunked", "-H", "Expect:"],
                    input: much)
                #expect(chunked.status == 413, "\(chunked)")
                let batch = try await gateway.curl(
                    "/v1/n:batch", ["--data-binary", "@-", "-H", "Expect:"], input: much)
                #expect(batch.status == 413, "\(batch)")
                let most = try await gateway.curl(
                    "/v1/n/a", ["-T", "-"], input: Array(much.prefix(1 << 20)))
                #expect(most.status == 204)
            }
        }

        @Test func theSlowAreCutOffAndTheOthersServed() async throws {
            try await withGateway(ClusterPlan(), ["--idle", "1s"]) { _, gateway in
                // A head that never ends, a connection that says nothing, a body that drips.
                let head = try TCPSocket.connected(to: gateway.port)
                defer { head.close() }
                head.say(Self.bytes("GET /v1/n/a HTTP/1.1\r\nHost: loc"))
                let silent = try TCPSocket.connected(to: gateway.port)
                defer { silent.close() }
                let body = try TCPSocket.connected(to: gateway.port)
                defer { body.close() }
                body.say(
                    Self.bytes(
                        "PUT /v1/n/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nab"))
                #expect(try await gateway.curl("/v1/n/a").status == 404)
                let answers = await [
                    Self.answer(on: head), Self.answer(on: silent), Self.answer(on: body),
                ]
                #expect(answers[0].isEmpty && answers[1].isEmpty)
                #expect(answers[2].isEmpty || answers[2].hasPrefix("HTTP/1.1 408"), "\(answers[2])")
                #expect(try await gateway.curl("/v1/n/a").status == 404)
            }
        }

        @Test func aClientThatDoesNotReadIsDisconnected() async throws {
            try await withGateway(
                ClusterPlan(), ["--idle", "1s", "--max-body", "16MiB"]
            ) { _, gateway in
                let value = [UInt8](repeating: 7, count: 16 << 20)
                #expect(
                    try await gateway.curl("/v1/n/a", ["-T", "-"], input: value).status == 204)
                let socket = try TCPSocket.connected(to: gateway.port)
                defer { socket.close() }
                socket.say(Self.bytes("GET /v1/n/a HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                // Hung up on: what is said to it is refused sooner or later.
                try await eventually("the gateway hangs up") {
                    !socket.say([0x0D]) || !socket.say([0x0A])
                }
                let whole = try await gateway.curl("/v1/n/a")
                #expect(whole.status == 200 && whole.body.count == value.count)
            }
        }

        @Test func aPageOfAnotherOriginIsTurnedAway() async throws {
            try await withGateway { _, gateway in
                let put = try await gateway.curl(
                    "/v1/n/a", ["-T", "-", "-H", "Origin: http://evil.example"], input: [1])
                #expect(put.status == 403 && put.problem == "foreign-page", "\(put)")
                let site = ["-H", "Sec-Fetch-Site: cross-site"]
                let read = try await gateway.curl("/v1/n/a", site)
                #expect(read.status == 403 && read.problem == "foreign-page", "\(read)")
                let named = try await gateway.curl("/v1/n/a", ["-H", "Host: evil.example"])
                #expect(named.status == 421 && named.problem == "misdirected")
                #expect(try await gateway.curl("/v1/n/a").status == 404)
            }
        }

        @Test func askedToStopItFinishesWhatIsUnderWay() async throws {
            try await withCluster { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let gateway = try await Gateway.start(endpoint)
                defer { gateway.clear() }
                let idle = try TCPSocket.connected(to: gateway.port)
                defer { idle.close() }
                let busy = try TCPSocket.connected(to: gateway.port)
                defer { busy.close() }
                busy.say(
                    Self.bytes(
                        "PUT /v1/n/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                            + "Content-Length: 5\r\n\r\n"))
                let asked = await Self.answer(on: busy, upTo: 1)
                #expect(asked.hasPrefix("HTTP/1.1 100"))
                gateway.program.signal(SIGTERM)
                #expect(await Self.answer(on: idle).isEmpty)
                busy.say(Self.bytes("hello"))
                #expect(await Self.answer(on: busy).contains("HTTP/1.1 204"))
                #expect(try await gateway.program.ended() == 0, "\(gateway.program.errors)")
            }
        }
    }
}
