import CacheLoading
import CacheModel
import CacheOrigin
import Testing

/// What a server sees of an attempt.
@Suite(.timeLimit(.minutes(2))) struct HTTPWireTests {
    /// The only request that `request` leads to.
    private func sent(
        _ change: (inout OriginRequest) -> Void = { _ in }, validator: String? = nil
    ) async throws -> RawRequest {
        var head = ""
        try await RawServer.with({ $1.answer() }) { server in
            try await HTTPOrigin.with { origin in
                var request = try OriginRequest.test("7", from: server.url, validator: validator)
                change(&request)
                _ = await origin.outcome(of: request)
                #expect(server.heads.count == 1)
                head = server.heads.first ?? ""
                #expect(head.contains("ost: 127.0.0.1:\(server.port)"))
            }
        }
        return RawRequest(head: head, number: 0)
    }

    @Test func anAttemptIsOneGetWithoutMore() async throws {
        let request = try await sent()
        #expect(request.head.hasPrefix("GET /k/7 HTTP/1.1\r\n"))
        #expect(request.values(of: "accept-encoding") == ["identity"])
        #expect(request.values(of: "user-agent") == ["martlet"])
        #expect(request.values(of: "host").count == 1)
        #expect(request.head.split(separator: "\r\n").count == 4)
    }

    @Test func aNamespacesFieldsAreSentInOrderAndWin() async throws {
        let request = try await sent { request in
            request.policy.fields = [
                OriginField(name: "X-B", value: "1"), OriginField(name: "X-A", value: "2"),
                OriginField(name: "X-B", value: "3"),
                OriginField(name: "User-Agent", value: "them"),
                OriginField(name: "Accept-Encoding", value: "br"),
            ]
        }
        #expect(request.values(of: "x-b") == ["1", "3"])
        #expect(request.values(of: "user-agent") == ["them"])
        #expect(request.values(of: "accept-encoding") == ["br"])
        let first = try #require(request.head.firstRange(of: "X-B"))
        let second = try #require(request.head.firstRange(of: "X-A"))
        #expect(first.lowerBound < second.lowerBound)
    }

    @Test func anEntityTagOrADateIsAskedBy() async throws {
        let tag = try await sent(validator: "W/\"7\"")
        #expect(tag.values(of: "if-none-match") == ["W/\"7\""])
        #expect(tag.values(of: "if-modified-since") == [])
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let since = try await sent(validator: date)
        #expect(since.values(of: "if-modified-since") == [date])
        #expect(since.values(of: "if-none-match") == [])
        let neither = try await sent(validator: "7")
        #expect(neither.values(of: "if-modified-since") == [])
        #expect(neither.values(of: "if-none-match") == [])
    }

    @Test func aPostBringsItsBodyAndNoCondition() async throws {
        let request = try await sent(
            { $0.policy.question = .post(body: #"{"id":"{key}"}"#) }, validator: "\"7\"")
        #expect(request.head.hasPrefix("POST /k/7 HTTP/1.1\r\n"))
        #expect(request.values(of: "content-type") == ["application/json"])
        #expect(request.values(of: "content-length") == ["10"])
        #expect(request.values(of: "if-none-match") == [])
        let form = try await sent { request in
            request.policy.question = .post(body: "id={key}")
            request.policy.fields = [
                OriginField(name: "Content-Type", value: "application/x-www-form-urlencoded")
            ]
        }
        #expect(form.values(of: "content-type") == ["application/x-www-form-urlencoded"])
        #expect(form.values(of: "content-length") == ["4"])
    }

    @Test func everyByteOfAKeyArrivesAsItWasEscaped() async throws {
        try await RawServer.with({ $1.answer() }) { server in
            try await HTTPOrigin.with { origin in
                for path in ["/k/{key}?x={key}", "/{+key}"] {
                    let url = "http://127.0.0.1:\(server.port)\(path)"
                    let template = try URLTemplate(parsing: url)
                    for byte in UInt8.min...UInt8.max {
                        let bytes = [UInt8(ascii: "a"), byte, UInt8(ascii: "c")]
                        let request = try OriginRequest.test(bytes: bytes, from: url)
                        let outcome = await origin.outcome(of: request)
                        let target = template.target(of: request.key, in: .default)
                        #expect(outcome.reply?.status == 200)
                        let arrived = RawRequest(head: server.heads.last ?? "", number: 0).target
                        #expect(arrived == target)
                    }
                }
                #expect(server.counts.requests == 512)
            }
        }
    }

    @Test func aLongKeyOfAnyBytesArrives() async throws {
        try await RawServer.with({ $1.answer() }) { server in
            try await HTTPOrigin.with { origin in
                let bytes = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                let request = try OriginRequest.test(bytes: bytes, from: server.url)
                let target = try URLTemplate(parsing: server.url)
                    .target(of: request.key, in: .default)
                let outcome = await origin.outcome(of: request)
                #expect(outcome.reply?.status == 200)
                #expect(RawRequest(head: server.heads.last ?? "", number: 0).target == target)
            }
        }
    }

    @Test func aKeyThatWouldLeaveItsPlaceIsNotAskedFor() async throws {
        try await RawServer.with({ $1.answer() }) { server in
            try await HTTPOrigin.with { origin in
                for key in ["..", "../x", "a/../../b"] {
                    let outcome = await origin.outcome(of: try .test(key, from: server.url))
                    #expect(outcome == .failed(.refused))
                }
                #expect(server.counts == RawServer.Counts())
            }
        }
    }

    @Test func anInvalidPolicyIsRefusedBeforeARequestIsSent() async throws {
        try await RawServer.with({ $1.answer() }) { server in
            try await HTTPOrigin.with { origin in
                let broken = await origin.outcome(of: try .test("k", from: "nonsense"))
                #expect(broken == .failed(.refused))
                for field in [
                    OriginField(name: "a b", value: "x"),
                    OriginField(name: "a", value: "x\r\ny: z"),
                ] {
                    var request = try OriginRequest.test("k", from: server.url)
                    request.policy.fields = [field]
                    let outcome = await origin.outcome(of: request)
                    #expect(outcome == .failed(.refused))
                }
                #expect(server.counts.requests == 0)
            }
        }
    }

    @Test func fieldsThatChangeUnderOneURLAreSeen() async throws {
        try await RawServer.with({ $1.answer() }) { server in
            try await HTTPOrigin.with { origin in
                for word in ["one", "two", "one"] {
                    var request = try OriginRequest.test("k", from: server.url)
                    request.policy.fields = [OriginField(name: "x-word", value: word)]
                    _ = await origin.outcome(of: request)
                    let last = RawRequest(head: server.heads.last ?? "", number: 0)
                    #expect(last.values(of: "x-word") == [word])
                }
            }
        }
    }
}
