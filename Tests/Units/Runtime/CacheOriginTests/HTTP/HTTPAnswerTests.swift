import CacheLoading
import CacheModel
import CacheOrigin
import NIOCore
import NIOPosix
import Testing

/// What becomes of answers, good and bad.
@Suite(.timeLimit(.minutes(3))) struct HTTPAnswerTests {
    private enum Act: Sendable {
        /// Send these parts, one by one, and leave the connection open.
        case send([String])
        /// Send this and close.
        case sendAndClose(String)
        /// Send the first, then the second for ever.
        case sendWithoutEnd(String, String)
        case close
        case nothing
    }

    private struct Scene: Sendable, CustomTestStringConvertible {
        var name: String
        var act: Act
        var status: Int?
        var body = ""
        var failure: LoadFailure?
        /// Whether the connection may be used again.
        var isKept = false

        var testDescription: String { name }

        static func answer(
            _ name: String, _ act: Act, _ status: Int, _ body: String = "", isKept: Bool = true
        ) -> Scene {
            Scene(name: name, act: act, status: status, body: body, isKept: isKept)
        }

        static func failure(_ name: String, _ act: Act, _ failure: LoadFailure) -> Scene {
            Scene(name: name, act: act, failure: failure)
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let five = ok + "Content-Length: 5\r\n\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    private static let early = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"

    private static let good: [Scene] = [
        .answer("a length", .send([five + "hello"]), 200, "hello"),
        .answer("byte by byte", .send((five + "hello").map(String.init)), 200, "hello"),
        .answer(
            "chunks", .send([chunked, "2\r\nhe\r\n", "3;x=y\r\nllo\r\n0\r\nA: b\r\n\r\n"]), 200,
            "hello"),
        .answer("an empty value", .send([ok + "Content-Length: 0\r\n\r\n"]), 200),
        .answer("no chunk", .send([chunked + "0\r\n\r\n"]), 200),
        .answer(
            "100 first", .send(["HTTP/1.1 100 Continue\r\n\r\n" + five + "hello"]), 200, "hello"),
        .answer("hints first", .send([early, early, five, "hello"]), 200, "hello"),
        .answer("204", .send(["HTTP/1.1 204 No Content\r\n\r\n"]), 204),
        .answer("404", .send(["HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno"]), 404),
        .answer(
            "a redirect", .send(["HTTP/1.1 302 F\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"]),
            302),
        .answer(
            "encoded", .send([ok + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx"]), 200,
            "xx"),
        .answer(
            "told to close", .sendAndClose(ok + "Connection: close\r\nContent-Length: 2\r\n\r\nhi"),
            200, "hi", isKept: false),
        .answer(
            "HTTP/1.0", .sendAndClose("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            200, "hi", isKept: false),
        .answer(
            "404 without an end", .sendAndClose("HTTP/1.1 404 No\r\n\r\nhello"), 404,
            isKept: false),
        .answer(
            "404 cut off", .sendAndClose("HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nhello"),
            404, isKept: false),
        .answer(
            "an endless 500", .sendWithoutEnd("HTTP/1.1 500 No\r\n\r\n", block), 500,
            isKept: false),
    ]

    private static let block = String(repeating: "x", count: 4_096)

    private static let bad: [Scene] = [
        .failure("closes at once", .close, .unreachable),
        .failure("half a head", .sendAndClose("HTTP/1.1 200 OK\r\nContent-"), .unreachable),
        .failure("less than the length", .sendAndClose(five + "hell"), .unreachable),
        .failure("a head and no body", .sendAndClose(five), .unreachable),
        .failure("a chunk cut off", .sendAndClose(chunked + "5\r\nhel"), .unreachable),
        .failure("no last chunk", .sendAndClose(chunked + "5\r\nhello\r\n"), .unreachable),
        .failure("half a last chunk", .sendAndClose(chunked + "5\r\nhello\r\n0\r\n"), .unreachable),
        .failure("never answers", .nothing, .timedOut),
        .failure("stops after the head", .send([five]), .timedOut),
        .failure("stops in the body", .send([five + "he"]), .timedOut),
        .failure("no end of chunks", .send([chunked + "5\r\nhello\r\n"]), .timedOut),
        .failure("hints for ever", .sendWithoutEnd("", early), .timedOut),
        .failure("1.1 until it closes", .sendAndClose(ok + "\r\nhello"), .malformed),
        .failure("1.0 until it closes", .sendAndClose("HTTP/1.0 200 OK\r\n\r\nhello"), .malformed),
        .failure(
            "gzipped chunks", .send([ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"]),
            .malformed),
        .failure(
            "length and chunks",
            .send([ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"]),
            .malformed),
        .failure(
            "two lengths", .send([ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"]),
            .malformed),
        .failure(
            "a length below zero", .send([ok + "Content-Length: -5\r\n\r\nhello"]), .malformed),
        .failure(
            "a length that is none", .send([ok + "Content-Length: five\r\n\r\nhello"]), .malformed),
        .failure("a chunk that is none", .send([chunked + "xyz\r\nhello\r\n"]), .malformed),
        .failure("garbage", .send(["\u{1}\u{2}\u{3} what is this?\r\n\r\n"]), .malformed),
        .failure("another protocol", .send(["SSH-2.0-OpenSSH_9.2\r\n"]), .malformed),
        .failure("HTTP/3", .send(["HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n"]), .malformed),
        .failure(
            "an upgrade", .send(["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"]),
            .malformed),
        .failure("304 unasked", .send(["HTTP/1.1 304 Not Modified\r\n\r\n"]), .malformed),
        .failure("fields for ever", .sendWithoutEnd(ok, "a: b\r\n"), .malformed),
        .failure("a field for ever", .sendWithoutEnd(ok + "a: ", block), .malformed),
        .failure("a name for ever", .sendWithoutEnd(ok, block), .malformed),
        .failure(
            "many large fields",
            .send([
                ok + (0..<20).map { "a\($0): \(block)\r\n" }.joined() + "Content-Length: 0\r\n\r\n"
            ]),
            .malformed),
        .failure(
            "a length past the bound", .send([ok + "Content-Length: 1001\r\n\r\n"]), .tooLarge),
        .failure(
            "a length past counting", .send([ok + "Content-Length: 18446744073709551615\r\n\r\n"]),
            .tooLarge),
        .failure(
            "chunks past the bound",
            .sendWithoutEnd(chunked, "400\r\n" + String(block.prefix(1_024)) + "\r\n"),
            .tooLarge),
    ]

    @Test(arguments: good + bad)
    private func anAnswerIsJudged(scene: Scene) async throws {
        let script: RawServer.Script = { request, connection in
            // Whatever the first request met, the second is answered well.
            guard request.key == "first" else { return connection.answer("well") }
            Self.perform(scene.act, on: connection)
        }
        try await RawServer.with(script) { server in
            try await HTTPOrigin.with { origin in
                let isLate = scene.failure == .timedOut
                let timeout: Duration = isLate ? .milliseconds(500) : .seconds(60)
                let outcome = await origin.outcome(
                    of: try .test("first", from: server.url, timeout: timeout))
                #expect(outcome.failure == scene.failure)
                #expect(outcome.reply?.status == scene.status)
                #expect(outcome.reply?.body ?? [] == Array(scene.body.utf8))
                if !scene.isKept { await server.until { $0.open == 0 } }
                let next = await origin.outcome(of: try .test("next", from: server.url))
                #expect(next.reply?.body == Array("well".utf8))
                // A busy machine may not even have connected in so short a time.
                let connections = server.counts.connections
                #expect(connections == (scene.isKept ? 1 : 2) || isLate && connections == 1)
            }
            await server.until { $0.open == 0 }
        }
    }

    private static func perform(_ act: Act, on connection: RawConnection) {
        switch act {
        case .send(let parts): for part in parts { connection.send(part) }
        case .sendAndClose(let text):
            connection.send(text)
            connection.close()
        case .sendWithoutEnd(let first, let rest):
            connection.send(first)
            connection.sendWithoutEnd(Array(rest.utf8))
        case .close: connection.close()
        case .nothing: break
        }
    }

    @Test func bytesBehindAnAnswerAreNotTheNextOne() async throws {
        let script: RawServer.Script = { request, connection in
            guard request.key == "first" else { return connection.answer("well") }
            connection.send(Self.five + "hello" + Self.ok + "Content-Length: 4\r\n\r\nevil")
        }
        try await RawServer.with(script) { server in
            try await HTTPOrigin.with { origin in
                let first = await origin.outcome(of: try .test("first", from: server.url))
                let isHello = first.reply?.body == Array("hello".utf8)
                #expect(isHello || first.failure == .malformed, "\(first)")
                await server.until { $0.open == 0 }
                let next = await origin.outcome(of: try .test("next", from: server.url))
                // Whether the client had let go of the connection by then is a race that it may
                // lose, and says so; what it may not do is take those bytes for an answer.
                let isWell = next.reply?.body == Array("well".utf8)
                #expect(isWell || next.failure != nil, "\(next)")
            }
        }
    }

    @Test func fieldsComeInTheirOrderWithTheirDoubles() async throws {
        let text = Self.ok + "B: 1\r\na:  2 \t\r\nB: 3\r\nc:\r\nContent-Length: 0 \r\n\r\n"
        try await RawServer.with({ $1.send(text) }) { server in
            try await HTTPOrigin.with { origin in
                let outcome = await origin.outcome(of: try .test("k", from: server.url))
                let fields = outcome.reply?.fields.map { "\($0.name)=\($0.value)" }
                #expect(fields == ["B=1", "a=2", "B=3", "c=", "Content-Length=0"])
            }
        }
    }

    @Test func a304ToAValidatorIsHandedOn() async throws {
        let text = "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nContent-Length: 5\r\n\r\n"
        try await RawServer.with({ $1.send(text) }) { server in
            try await HTTPOrigin.with { origin in
                for _ in 0..<2 {
                    let outcome = await origin.outcome(
                        of: try .test("k", from: server.url, validator: "\"1\""))
                    #expect(outcome.reply?.status == 304)
                    #expect(outcome.reply?.body == [])
                }
                #expect(server.counts.connections == 1)
            }
        }
    }

    @Test func aPortWithoutAListenerIsUnreachableAtOnce() async throws {
        try await RawServer.with({ $1.answer() }) { server in
            // The near end of a connection is a port that is taken, and at which nobody listens.
            let filler = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: server.port).get()
            let url = "http://127.0.0.1:\(filler.localAddress?.port ?? 0)/{key}"
            try await HTTPOrigin.with { origin in
                let before = ContinuousClock.now
                let outcome = await origin.outcome(of: try .test("k", from: url))
                #expect(outcome == .failed(.unreachable))
                #expect(before.duration(to: .now) < .seconds(10))
            }
            try await filler.close()
        }
    }

    @Test func aLongValueIsHeldOnce() async throws {
        let count = 3_000_000
        let value = [UInt8](repeating: 9, count: count)
        let script: RawServer.Script = { _, connection in
            connection.send(Self.ok + "Content-Length: \(count)\r\n\r\n")
            connection.send(value)
        }
        try await RawServer.with(script) { server in
            try await HTTPOrigin.with { origin in
                let outcome = await origin.outcome(
                    of: try .test("k", from: server.url, valueBytesMax: count))
                let body = try #require(outcome.reply?.body)
                #expect(body == value)
                // One allocation of its own size, never grown by doubling.
                #expect(body.capacity < count + count / 8)
            }
        }
    }
}
