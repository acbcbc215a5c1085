import ByteCoding
import CacheAccess
import CacheHTTP
import CacheModel
import Cryptography
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOWebSocket
import GatewayCore

/// Admits clients to the stream, over a WebSocket or as server-sent events.
struct StreamDoor: Sendable {
    let sharedHub: SharedPushHub
    /// Checks tokens; `nil` for a gateway without tokens.
    let tokens: TokenAuthenticator?
    let origins: AllowedOrigins

    /// Decides whether a client gets a subscription, before any answer.
    ///
    /// - Throws: a ``Problem``.
    func admit(
        _ order: StreamOrder, _ head: RequestHead, on channel: any Channel
    ) async throws -> GatewayAnswer {
        let token = try BearerToken.read(head.fields)
        guard let upgrade = head.fields["Upgrade"] else {
            return try events(subscription(order, token: token))
        }
        guard FieldText.isSameWord(upgrade, "websocket") else {
            throw Problem(
                .malformedField,
                "the stream's Upgrade is websocket; without the field it sends events")
        }
        // A page of another origin could open a WebSocket here, and read its messages.
        try PageGuard.checkOrigin(of: head, origins)
        let accept = try Self.accept(head.fields)
        // A client with an invalid token is refused at once, with an HTTP problem.
        if let token, let tokens { _ = try tokens.entry(of: token) }
        let isComplete = !order.targets.isEmpty && (tokens == nil || token != nil)
        if isComplete { _ = try subscription(order, token: token) }
        let reader = WebSocketReader(channel, sharedHub, order) { [self] (order) throws(Problem) in
            try subscription(order, token: order.token ?? token)
        }
        // Before the answer: the other side may send as soon as it has it.
        try await channel.eventLoop.submit { try Self.install(reader, on: channel) }.get()
        return .webSocket(reader, accept: accept, isComplete: isComplete)
    }

    private func events(_ subscription: PushSubscription) throws(Problem) -> GatewayAnswer {
        let reader = EventStreamReader()
        var subscriber: SubscriberID?
        do throws(PushRefusal) {
            try sharedHub.subscribe(subscription, reader) { subscriber = $0 }
        } catch {
            throw Problem(error)
        }
        guard let subscriber else { preconditionFailure("an admitted subscriber has a number") }
        return .events(reader, subscriber)
    }

    /// Serves one subscriber until it leaves.
    ///
    /// - Parameter fields: fields of every answer to it.
    /// - Throws: errors that end the connection.
    func serve(
        _ answer: GatewayAnswer, _ fields: consuming FieldList,
        _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        await Self.bound(channel)
        switch answer {
        case .whole: preconditionFailure("an answer without a subscriber is not served here")
        case .events(let reader, let subscriber):
            defer { sharedHub.unsubscribe(subscriber) }
            var body = try await writer.writeHead(Self.beginning(consume fields))
            let retry = PushLimits.returnPause.wholeMilliseconds
            try await body.write(ByteBuffer(string: "retry: \(retry)\n\n"))
            for await item in reader.items {
                try await body.write(item.push.eventStream)
                if !item.isLast { sharedHub.taken([(subscriber, item.push.bytes)]) }
            }
            try await body.finish(nil)
        case .webSocket(let reader, let accept, let isComplete):
            _ = try await writer.writeHead(Self.handshake(accept, consume fields))
            if isComplete { channel.eventLoop.execute { reader.subscribe(with: nil) } }
            try await withTaskCancellationHandler {
                try await channel.closeFuture.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        }
    }

    /// The head of events.
    private static func beginning(_ fields: FieldList) -> HTTPResponse {
        var answer = Answer(200, fields)
        answer.fields.append("Content-Type", "text/event-stream")
        answer.fields.append("Cache-Control", "no-store")
        // nginx would buffer events until a buffer is full.
        answer.fields.append("X-Accel-Buffering", "no")
        var head = HTTPResponse(answer)
        // Its end is unknown.
        head.headerFields[.contentLength] = nil
        return head
    }

    // MARK: WebSockets

    private static func handshake(_ accept: String, _ fields: FieldList) -> HTTPResponse {
        var head = HTTPResponse(Answer(101, fields))
        head.headerFields[.contentLength] = nil
        head.headerFields[.upgrade] = "websocket"
        head.headerFields[.connection] = "Upgrade"
        head.headerFields[.secWebSocketAccept] = accept
        return head
    }

    private static func install(_ reader: WebSocketReader, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        // The encoder is the HTTP handler nearest to the socket.
        let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
        let frames = ByteToMessageHandler(
            WebSocketDecoder(frameBytesMax: PushLimits.requestBytesMax))
        try pipeline.addHandler(frames, position: .before(encoder))
        try pipeline.addHandler(reader, position: .after(frames))
        // No request follows this one: the connection's handlers would only use memory.
        let terms = try pipeline.context(handlerType: ConnectionTerms.self)
        pipeline.removeHandler(context: terms, promise: nil)
    }

    /// The answer to a handshake's key (RFC 6455, 4.2.2).
    private static func accept(_ fields: FieldList) throws(Problem) -> String {
        let words = (fields["Connection"] ?? "").split(separator: ",").map {
            String($0.drop { $0 == " " }.prefix { $0 != " " })
        }
        guard words.contains(where: { FieldText.isSameWord($0, "upgrade") }) else {
            throw Problem(.malformedField, "a WebSocket's request has Connection: Upgrade")
        }
        guard fields["Sec-WebSocket-Version"] == "13" else {
            var problem = Problem(.malformedField, "Sec-WebSocket-Version is 13")
            problem.fields.append("Sec-WebSocket-Version", "13")
            throw problem
        }
        guard let key = fields["Sec-WebSocket-Key"], Base64Text.bytes(of: key)?.count == 16 else {
            throw Problem(.malformedField, "Sec-WebSocket-Key is 16 bytes in base64")
        }
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Base64Text.text(of: SHA1.digest(of: Array(text.utf8)))
    }

    // MARK: Subscriptions

    private func subscription(
        _ order: StreamOrder, token: String?
    ) throws(Problem) -> PushSubscription {
        guard let tokens else { return try Self.subscription(order, nil) }
        guard let token else {
            throw BearerToken.refusal(
                "this gateway authenticates requests: send Authorization: Bearer and a token, or "
                    + "the token in the first message of a WebSocket")
        }
        return try Self.subscription(order, try tokens.entry(of: token))
    }

    private static func subscription(
        _ order: StreamOrder, _ entry: AccessEntry?
    ) throws(Problem) -> PushSubscription {
        do throws(PushRefusal) {
            return try PushSubscription(
                order.targets, after: order.after, of: order.cluster, for: entry)
        } catch {
            throw Problem(error)
        }
    }

    /// A vanished reader is not detected unless its acknowledgements have a timeout; and bytes in
    /// the kernel's buffer for a slow one count as read.
    private static func bound(_ channel: any Channel) async {
        // A stream of HTTP/2 has no socket of its own, and setting a socket option on it ends the
        // process; its connection has its own watch.
        guard !channel.isStream else { return }
        do {
            try await channel.setOption(
                .tcpOption(tcpUserTimeout),
                value: SocketOptionValue(PushLimits.stallMax.wholeMilliseconds)
            ).get()
            try await channel.setOption(
                .socketOption(.so_sndbuf), value: SocketOptionValue(GatewayLimits.pushSendBytes)
            ).get()
        } catch {
            // Without it a vanished reader is detected when its queue is full.
        }
    }

    /// TCP_USER_TIMEOUT of Linux, in milliseconds; elsewhere the setting fails.
    private static let tcpUserTimeout = NIOBSDSocket.Option(rawValue: 18)
}
