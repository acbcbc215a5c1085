import CacheLoading
import CacheModel
import CacheOrigin
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// What becomes of connections, counted at the server.
@Suite(.timeLimit(.minutes(3))) struct HTTPConnectionTests {
    /// How many of `count` attempts at once were answered with 200.
    private func answered(_ count: Int, of key: String, on origin: HTTPOrigin, from url: String)
        async throws -> Int
    {
        let requests = try (0..<count).map { try OriginRequest.test("\(key)-\($0)", from: url) }
        return await withTaskGroup(of: Bool.self) { group in
            for request in requests {
                group.addTask { await origin.outcome(of: request).reply?.status == 200 }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test func oneAfterTheOtherShareAConnection() async throws {
        try await RawServer.with({ $1.answer("x") }) { server in
            try await HTTPOrigin.with { origin in
                for round in 0..<50 {
                    _ = await origin.outcome(of: try .test("\(round)", from: server.url))
                }
                #expect(server.counts == .init(connections: 1, open: 1, requests: 50))
            }
            await server.until { $0.open == 0 }
        }
    }

    @Test func thereAreNoMoreConnectionsThanAttempts() async throws {
        try await RawServer.with({ $1.answer("x") }) { server in
            try await HTTPOrigin.with { origin in
                for _ in 0..<20 {
                    let count = try await answered(64, of: "k", on: origin, from: server.url)
                    #expect(count == 64)
                    #expect(server.counts.open <= 64)
                }
                #expect(server.counts.connections <= 64)
            }
            await server.until { $0.open == 0 }
        }
    }

    @Test func connectionsToOneHostAreBounded() async throws {
        var settings = HTTPOriginSettings.test
        settings.connectionsPerHostMax = 4
        try await RawServer.with({ $1.answer("x") }) { server in
            try await HTTPOrigin.with(settings) { origin in
                let count = try await answered(40, of: "k", on: origin, from: server.url)
                #expect(count == 40)
                #expect(server.counts.connections <= 4)
            }
        }
    }

    @Test func anUnusedConnectionIsClosed() async throws {
        var settings = HTTPOriginSettings.test
        settings.idleTimeout = .milliseconds(50)
        try await RawServer.with({ $1.answer("x") }) { server in
            try await HTTPOrigin.with(settings) { origin in
                _ = await origin.outcome(of: try .test("k", from: server.url))
                await server.until { $0.open == 0 }
                let again = await origin.outcome(of: try .test("k", from: server.url))
                #expect(again.reply?.status == 200)
                #expect(server.counts.connections == 2)
            }
        }
    }

    /// An origin closes connections when it ends, or when its idle timeout is shorter.
    @Test func aConnectionThatWasClosedMeanwhileIsNoFailureOfTheAttempt() async throws {
        let answered = Mutex(Set<String>())
        let script: RawServer.Script = { request, connection in
            let isFirst = answered.withLock { $0.insert(request.key).inserted }
            // The second request of a connection finds it closed; the third is on a new one.
            if request.key == "b", isFirst { return connection.close() }
            connection.answer("x")
        }
        try await RawServer.with(script) { server in
            try await HTTPOrigin.with { origin in
                for key in ["a", "b", "c"] {
                    let outcome = await origin.outcome(of: try .test(key, from: server.url))
                    #expect(outcome.reply?.status == 200, "\(key): \(outcome)")
                }
                #expect(server.counts.connections == 2 && server.counts.requests == 4)
            }
        }
    }

    @Test func aConnectionThatIsClosedAtItsFirstRequestIsAFailure() async throws {
        try await RawServer.with({ $1.close() }) { server in
            try await HTTPOrigin.with { origin in
                let outcome = await origin.outcome(of: try .test("k", from: server.url))
                #expect(outcome == .failed(.unreachable), "\(outcome)")
                #expect(server.counts.requests == 1)
            }
        }
    }

    @Test func anAbortClosesTheConnection() async throws {
        try await RawServer.with({ _, _ in }) { server in
            try await HTTPOrigin.with { origin in
                for round in 1...20 {
                    let attempt = origin.begin(try .test("k", from: server.url)) { _ in }
                    await server.until { $0.requests == round }
                    attempt.abort()
                    await server.until { $0.open == 0 }
                }
            }
        }
    }

    @Test func everyEndLeavesNoConnectionBehind() async throws {
        let script: RawServer.Script = { request, connection in
            switch request.key.prefix(2) {
            case "0-": connection.answer("x")
            case "1-": break
            case "2-": connection.close()
            case "3-": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            case "4-": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nhe")
            default: connection.send("what?\r\n\r\n")
            }
        }
        try await RawServer.with(script) { server in
            try await HTTPOrigin.with { origin in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for round in 0..<1_200 {
                        let request = try OriginRequest.test(
                            "\(round % 6)-\(round)", from: server.url,
                            timeout: .milliseconds(round % 7 == 0 ? 2 : 100))
                        if round >= 64 { try await group.next() }
                        group.addTask { _ = await origin.outcome(of: request) }
                    }
                    try await group.waitForAll()
                }
            }
            await server.until { $0.open == 0 }
        }
    }

    @Test(arguments: [(100, 20_000), (2_000, 100)])
    func aConnectionThatDoesNotStandTimesOut(connect: Int, attempt: Int) async throws {
        // Nobody accepts here, and the queue before it is full.
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 0)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.milliseconds(100))
        var fillers: [any Channel] = []
        do {
            while fillers.count < 100 {
                fillers.append(try await client.connect(host: "127.0.0.1", port: port).get())
            }
        } catch {}
        var settings = HTTPOriginSettings.test
        settings.connectTimeout = .milliseconds(connect)
        try await HTTPOrigin.with(settings) { origin in
            let before = ContinuousClock.now
            let outcome = await origin.outcome(
                of: try .test(
                    "k", from: "http://127.0.0.1:\(port)/{key}", timeout: .milliseconds(attempt)))
            #expect(outcome == .failed(.timedOut))
            #expect(before.duration(to: .now) < .seconds(5))
        }
        for filler in fillers { try await filler.close() }
        try await server.close()
    }
}
