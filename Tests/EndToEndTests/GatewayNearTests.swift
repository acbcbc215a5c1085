import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// A gateway that remembers what nodes told it.
    @Suite(.serialized) struct GatewayNearTests {
        private static let arguments = ["--near-cache", "8MiB", "--near-cache-age", "60s"]
        private static let path = "/v1/pages/a"

        private static func isNear(_ answer: CurlAnswer) -> Bool {
            answer.fields["cache-status"]?.hasSuffix("; detail=near") == true
        }

        /// Stores a value by another way than the gateway and reads it until the gateway has it.
        private static func remembered(
            _ cluster: Cluster, _ gateway: Gateway, _ text: String = "old"
        ) async throws {
            let key = try #require(CacheKey("a"))
            let namespace = try #require(Namespace("pages"))
            _ = try await cluster.client.set(key, to: Array(text.utf8), in: namespace)
            try await eventually("the gateway remembers it") {
                let answer = try await gateway.curl(path)
                return isNear(answer) && answer.text == text
            }
        }

        @Test func whatIsAskedForAgainIsAnsweredAsANodeWould() async throws {
            try await withGateway(ClusterPlan(), Self.arguments) { cluster, gateway in
                try await Self.remembered(cluster, gateway)
                let fresh = try await gateway.curl(
                    Self.path, ["-H", "Cache-Control: no-cache"])
                let near = try await gateway.curl(Self.path)
                #expect(!Self.isNear(fresh) && Self.isNear(near))
                for name in ["etag", "cache-control", "content-type", "content-length"] {
                    #expect(near.fields[name] == fresh.fields[name], "\(name)")
                }
                #expect(near.fields["date"] != nil && near.fields["martlet-node"] != nil)
                let head = try await gateway.curl(Self.path, ["--head"])
                #expect(Self.isNear(head) && head.body.isEmpty)
                #expect(head.fields["content-length"] == "3")
                let etag = try #require(near.fields["etag"])
                let same = try await gateway.curl(Self.path, ["-H", "If-None-Match: \(etag)"])
                #expect(Self.isNear(same) && same.status == 304 && same.body.isEmpty)
                let other = try await gateway.curl(Self.path, ["-H", "If-Match: \"x\""])
                #expect(other.status == 412)
                let foreign = try await gateway.curl(
                    Self.path, ["-H", "Sec-Fetch-Site: cross-site"])
                #expect(foreign.status == 403 && foreign.problem == "foreign-page", "\(foreign)")
                let last = try await gateway.curl(Self.path, ["-H", "Connection: close"])
                #expect(last.status == 200 && last.text == "old")
            }
        }

        @Test func whatIsInvalidatedElsewhereIsNeverToldAsOfItsPosition() async throws {
            try await withGateway(ClusterPlan(), Self.arguments) { cluster, gateway in
                let namespace = try #require(Namespace("pages"))
                for round in 0..<5 {
                    try await Self.remembered(cluster, gateway, "value \(round)")
                    let receipt = try await cluster.client.invalidate(
                        [Scope(.tag(.named("none"), in: namespace)), Scope(.namespace(namespace))],
                        wait: .all)
                    let demand = ["-H", "Martlet-At-Least: \(receipt.position)"]
                    let known = try await gateway.curl(Self.path, demand)
                    #expect(known.status == 404, "\(known)")
                    try await eventually("the gateway hears of it too") {
                        try await gateway.curl(Self.path).status == 404
                    }
                }
            }
        }

        @Test func aClientReadsItsOwnChangesThroughTheGatewayNearCache() async throws {
            try await withGateway(ClusterPlan(), Self.arguments) { cluster, gateway in
                try await Self.remembered(cluster, gateway)
                for round in 0..<20 {
                    let put = try await gateway.curl(
                        Self.path, ["-T", "-"], input: Array("new \(round)".utf8))
                    #expect(put.status == 204)
                    for _ in 0..<2 {
                        #expect(try await gateway.curl(Self.path).text == "new \(round)")
                    }
                }
                #expect(Self.isNear(try await gateway.curl(Self.path)))
                let purge = try await gateway.curl(Self.path, ["-X", "PURGE"])
                #expect(purge.status == 200 || purge.status == 202, "\(purge)")
                #expect(try await gateway.curl(Self.path).status == 404)
            }
        }

        @Test func answersKeepTheOrderOfTheirRequests() async throws {
            try await withGateway(ClusterPlan(), Self.arguments) { cluster, gateway in
                try await Self.remembered(cluster, gateway)
                let socket = try TCPSocket.connected(to: gateway.port)
                defer { socket.close() }
                let host = "HTTP/1.1\r\nHost: localhost\r\n"
                var bytes = ""
                for round in 0..<50 {
                    bytes += "GET /v1/pages/a \(host)\r\nGET /v1/pages/none\(round) \(host)\r\n"
                }
                bytes += "GET /v1/pages/a \(host)Connection: close\r\n\r\n"
                socket.say(Array(bytes.utf8))
                var answer: [UInt8] = []
                while true {
                    let piece = socket.received()
                    if piece.isEmpty { break }
                    answer += piece
                }
                let statuses = String(decoding: answer, as: UTF8.self)
                    .components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
                let wanted = (0..<101).map { $0 % 2 == 0 ? "200" : "404" }
                #expect(statuses.map(String.init) == wanted)
            }
        }

        /// What an origin forbids holds through every hop: the node, the gateway and its memory,
        /// and whatever stands before that.
        @Test(arguments: [
            ("Cache-Control: no-store", "no-store", false),
            ("Cache-Control: private, max-age=60", "no-store", false),
            ("Vary: *", "no-store", false), ("Cache-Control: no-cache", "no-cache", true),
        ])
        func whatTheOriginForbidsIsForbiddenToEverybody(
            said: String, told: String, isAskedAbout: Bool
        ) async throws {
            let origin = try OriginServer { request in
                request.validator == "\"1\""
                    ? OriginServer.Answer(status: 304, fields: ["ETag: \"1\"", said])
                    : .text("one", "ETag: \"1\"", said)
            }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.namespaces = ["  pages:", "    origin: \(origin.url)"]
            try await withGateway(plan, Self.arguments) { _, gateway in
                for round in 1...3 {
                    let answer = try await gateway.curl(Self.path)
                    #expect(answer.text == "one" && !Self.isNear(answer))
                    #expect(answer.fields["cache-control"] == told, "\(answer)")
                    #expect(answer.fields["x-accel-expires"] == nil)
                    #expect(origin.requests.count == round)
                }
                let validators = origin.requests.map(\.validator)
                let later: String? = isAskedAbout ? "\"1\"" : nil
                #expect(validators == [nil, later, later])
            }
        }

        /// The layers above the near cache end connections that they hear nothing of.
        @Test func aConnectionThatLivesByNearAnswersAloneIsNotEnded() async throws {
            try await withGateway(
                ClusterPlan(), Self.arguments + ["--idle", "1s"]
            ) { cluster, gateway in
                try await Self.remembered(cluster, gateway)
                let socket = try TCPSocket.connected(to: gateway.port)
                defer { socket.close() }
                let request = Array("GET /v1/pages/a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
                let end = ContinuousClock.now + .seconds(4)
                var count = 0
                while ContinuousClock.now < end {
                    socket.say(request)
                    var answer = ""
                    while !answer.hasSuffix("\r\n\r\nold") {
                        let piece = socket.received()
                        try #require(!piece.isEmpty, "ended after \(count) answers")
                        answer += String(decoding: piece, as: UTF8.self)
                    }
                    count += 1
                }
                #expect(count > 10)
            }
        }

        /// The lines' hashes are those of `secret` and of `other`.
        @Test func theNearCacheRefusesClientsWithoutReadAccess() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let list = directory.file("tokens")
            let lines = """
                boss 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b admin *
                part d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa read images

                """
            try Data(lines.utf8).write(to: list)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: list.path)
            let allowed = ["-H", "Authorization: Bearer secret"]
            try await withGateway(
                ClusterPlan(), Self.arguments + ["--tokens", list.path], curlArguments: allowed
            ) { cluster, gateway in
                let key = try #require(CacheKey("a"))
                let namespace = try #require(Namespace("pages"))
                _ = try await cluster.client.set(key, to: Array("old".utf8), in: namespace)
                try await eventually("the gateway remembers it") {
                    Self.isNear(try await gateway.curl(Self.path, allowed))
                }
                #expect(try await gateway.curl(Self.path).status == 401)
                let part = try await gateway.curl(
                    Self.path, ["-H", "Authorization: Bearer other"])
                #expect(part.status == 403)
            }
        }

        @Test func wrongFlagsAreRefusedWithTheRemedy() async throws {
            for (arguments, word) in [
                (["--near-cache", "1KiB"], "64KiB"), (["--near-cache", "lots"], "--near-cache"),
                (["--near-cache-age", "1s"], "give both"),
                (["--near-cache", "1MiB", "--near-cache-age", "2h"], "10ms to 60s"),
            ] {
                let run = try await Program.run(["gateway"] + arguments)
                #expect(run.code == 64 && run.errors.contains(word), "\(run)")
            }
        }
    }
}
