import NIOCore
import NIOPosix
import Threading

/// A server on loopback whose every byte a test decides, and that counts its connections.
final class RawServer: Sendable {
    /// Called on the server's thread for every whole head of a request.
    typealias Script = @Sendable (RawRequest, RawConnection) -> Void

    private struct State {
        var counts = Counts()
        var heads: [String] = []
        var waiters: [(@Sendable (Counts) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    struct Counts: Equatable {
        /// Connections since the start, and those of them that are open.
        var connections = 0
        var open = 0
        var requests = 0
    }

    private let state = Guarded(State())
    private let listening = Guarded<(any Channel)?>(nil)
    private let script: Script

    init(_ script: @escaping Script) {
        self.script = script
    }

    /// Runs `body` with a server that follows `script`, and closes it whatever happens.
    static func with(
        _ script: @escaping Script, body: (RawServer) async throws -> Void
    ) async throws {
        let server = RawServer(script)
        try await server.start()
        do {
            try await body(server)
        } catch {
            await server.close()
            throw error
        }
        await server.close()
    }

    var port: Int { listening.withLock { $0?.localAddress?.port ?? 0 } }
    var url: String { "http://127.0.0.1:\(port)/k/{key}" }
    var counts: Counts { state.withLock { $0.counts } }
    /// The requests so far, as text up to the empty line.
    var heads: [String] { state.withLock { $0.heads } }

    private func start() async throws {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RawHandler(self))
                }
            }
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        listening.withLock { $0 = channel }
    }

    /// Stops listening; what is open stays open until it is closed from either side.
    func close() async {
        let channel = listening.withLock { $0 }
        do { try await channel?.close() } catch {}
    }

    /// Returns once the counts are so.
    func until(_ condition: @escaping @Sendable (Counts) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isSo = state.withLock { state in
                if condition(state.counts) { return true }
                state.waiters.append((condition, continuation))
                return false
            }
            if isSo { continuation.resume() }
        }
    }

    fileprivate func opened() {
        change {
            $0.connections += 1; $0.open += 1
        }
    }
    fileprivate func closed() { change { $0.open -= 1 } }

    fileprivate func received(_ request: RawRequest, on connection: RawConnection) {
        state.withLock { $0.heads.append(request.head) }
        change { $0.requests += 1 }
        script(request, connection)
    }

    private func change(_ body: (inout Counts) -> Void) {
        let due = state.withLock { state in
            body(&state.counts)
            let counts = state.counts
            let due = state.waiters.filter { $0.0(counts) }
            state.waiters.removeAll { $0.0(counts) }
            return due.map(\.1)
        }
        for continuation in due { continuation.resume() }
    }
}

/// What a client has asked for.
struct RawRequest: Sendable {
    /// The request line and the fields, as they came.
    let head: String
    /// Counted from 0 on each connection.
    let number: Int

    var target: String {
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        return words.count == 3 ? String(words[1]) : ""
    }

    /// What a test asked for: the last part of the path.
    var key: String { target.split(separator: "/").last.map(String.init) ?? "" }

    /// The values of a field, whatever the case of its name.
    func values(of name: String) -> [String] {
        head.split(separator: "\r\n").dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name else { return nil }
            return String(parts[1].drop { $0 == " " })
        }
    }
}

/// One connection, from the server's side.
struct RawConnection: Sendable {
    fileprivate let channel: any Channel

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// A whole answer of status 200.
    func answer(_ body: String = "", fields: String = "") {
        send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Sends `bytes` again and again until the connection is closed, never ahead of its reader.
    func sendWithoutEnd(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess {
            // A write may succeed at once: not one inside the other, without end.
            channel.eventLoop.execute { sendWithoutEnd(bytes) }
        }
    }

    func close() { channel.close(promise: nil) }
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let server: RawServer
    private var text = ""
    private var requestCount = 0

    init(_ server: RawServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) { server.opened() }
    func channelInactive(context: ChannelHandlerContext) { server.closed() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
        while let end = text.firstRange(of: "\r\n\r\n") {
            let request = RawRequest(
                head: String(text[..<end.lowerBound]), number: requestCount)
            let length = request.values(of: "content-length").first.flatMap { Int($0) } ?? 0
            let rest = text[end.upperBound...]
            guard rest.utf8.count >= length else { return }
            text = String(rest.dropFirst(length))
            requestCount += 1
            server.received(request, on: RawConnection(channel: context.channel))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
