import NIOCore
import NIOHTTP1

/// One connection: a request, its answer, the next request. Lives on the event loop.
///
///     reading ──end──▶ answering ──answer──▶ sending ──taken──▶ reading
///        │ time over                            │ time over
///        ▼                                      ▼
///      closed                                 closed
///
/// Further requests that came already are not read before the answer has been sent.
final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let responder: HealthResponder
    private let table: ConnectionTable
    private var head: HTTPRequestHead?
    private var bodyBytes = 0
    /// Closes the connection when what it waits for takes too long.
    private var patience: Scheduled<Void>?

    init(_ responder: HealthResponder, _ table: ConnectionTable) {
        self.responder = responder
        self.table = table
    }

    func channelActive(context: ChannelHandlerContext) {
        wait(HealthLimits.requestTimeMax, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        patience?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            bodyBytes = 0
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            // Nothing that is answered here takes one.
            if bodyBytes > HealthLimits.bodyBytesMax { context.close(promise: nil) }
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What cannot be read was answered with 400 before.
        context.close(promise: nil)
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        patience?.cancel()
        table.beginAnswer(context.channel)
        let request = HealthRequest(
            method: head.method.rawValue,
            path: String(head.uri.prefix { $0 != "?" }),
            accept: Self.joined(head.headers["accept"]),
            authorization: head.headers.first(name: "authorization"),
            host: Self.joined(head.headers["host"]))
        let (isHead, isKept) = (head.method == .HEAD, head.isKeepAlive)
        // RFC 9112, 3.2; of HTTP/1.0 none is asked for.
        let hosts = head.headers["host"].count
        guard hosts == 1 || hosts == 0 && head.version != .http1_1 else {
            let reply = HealthReply.problem(
                400, "Bad Request", "a request of HTTP/1.1 has one Host")
            return send(reply, isHead: isHead, isKept: false, context)
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        responder.answer(request).hop(to: context.eventLoop).whenSuccess { reply in
            let (handler, context) = bound.value
            guard context.channel.isActive else { return }
            handler.send(reply, isHead: isHead, isKept: isKept, context)
        }
    }

    private static func joined(_ values: [String]) -> String? {
        values.isEmpty ? nil : values.joined(separator: ",")
    }

    private func send(
        _ reply: HealthReply, isHead: Bool, isKept: Bool, _ context: ChannelHandlerContext
    ) {
        var headers = HTTPHeaders(reply.fields.map { ($0.name, $0.value) })
        headers.add(name: "content-type", value: reply.contentType)
        headers.add(name: "content-length", value: "\(reply.body.utf8.count)")
        if !isKept { headers.add(name: "connection", value: "close") }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status),
            headers: headers)
        let taken = context.eventLoop.makePromise(of: Void.self)
        wait(HealthLimits.replyTimeMax, context)
        context.write(wrapOutboundOut(.head(head)), promise: isHead ? taken : nil)
        if !isHead {
            let body = context.channel.allocator.buffer(string: reply.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: taken)
        }
        context.flush()
        // The end lets the next request in. It is said when this answer has left, and on a turn of
        // its own: however many requests came together, neither answers nor the stack pile up.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        taken.futureResult.whenSuccess {
            bound.eventLoop.execute { bound.value.0.end(isKept: isKept, bound.value.1) }
        }
    }

    private func end(isKept: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        // Before the end, because another request may be answered within it.
        wait(HealthLimits.idleTimeMax, context)
        table.endAnswer(context.channel)
        let ended = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard !isKept else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        ended.whenComplete { _ in bound.value.close(promise: nil) }
    }

    private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        patience?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        patience = context.eventLoop.scheduleTask(in: time) {
            bound.value.close(promise: nil)
        }
    }
}
