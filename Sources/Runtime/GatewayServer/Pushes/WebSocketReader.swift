import CacheHTTP
import NIOCore
import NIOWebSocket
import GatewayCore

/// One WebSocket: reads the message that begins it, and writes the hub's messages.
///
/// It is placed in the pipeline between the socket and HTTP's coders: they do not see bytes after
/// the upgrade, nor bytes that it writes.
///
///     wanting ─first message─▶ subscribed ─▶ closing ─▶ closed
///        └─ silence, or invalid data: closed with a code and a sentence
// Sendable though unchecked: all its state is accessed on its channel's event loop only; other
// threads hold it only to pass it to that loop.
final class WebSocketReader: ChannelInboundHandler, PushReader, @unchecked Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = ByteBuffer

    private enum Stage {
        case wanting
        case subscribed(SubscriberID)
        case closing
    }

    private let channel: any Channel
    private let sharedHub: SharedPushHub
    /// Turns the request into a subscription.
    private let admit: @Sendable (StreamOrder) throws(Problem) -> PushSubscription
    private var order: StreamOrder
    private var stage = Stage.wanting
    private var context: ChannelHandlerContext?
    private var patience: Scheduled<Void>?
    private var fragments: ByteBuffer?
    private var outgoing: [EncodedPush] = []

    init(
        _ channel: any Channel, _ sharedHub: SharedPushHub, _ order: StreamOrder,
        _ admit: @escaping @Sendable (StreamOrder) throws(Problem) -> PushSubscription
    ) {
        self.channel = channel
        self.sharedHub = sharedHub
        self.order = order
        self.admit = admit
    }

    var loop: (any EventLoop)? { channel.eventLoop }
    var transport: PushTransport { .webSocket }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        patience = context.eventLoop.scheduleTask(in: TimeAmount(PushLimits.requestPatience)) {
            [weak self] in
            self?.close(.badRequest, "say within ten seconds what to subscribe to")
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        patience?.cancel()
        if case .subscribed(let id) = stage { sharedHub.unsubscribe(id) }
        stage = .closing
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Nothing more will come: the client no longer reads.
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? WebSocketDecoder.Fault {
        case .tooLong?:
            close(.tooLong, "a message has at most \(PushLimits.requestBytesMax) bytes")
        case .fragmentedControl?, .longControl?:
            close(.protocolError, "a control frame is whole and has at most 125 bytes")
        case .lengthForm?:
            close(.protocolError, "a length must have the shortest encoding")
        case nil: context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if case .closing = stage { return }
        guard frame.maskKey != nil else {
            return close(.protocolError, "frames of a client are masked")
        }
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return close(.protocolError, "no extension was agreed upon")
        }
        switch frame.opcode {
        case .ping:
            // A client that reads nothing is not answered: pongs would accumulate (RFC 6455, 5.5.3
            // permits this).
            guard context.channel.isWritable else { return }
            context.writeAndFlush(
                wrapOutboundOut(WebSocketText.pong(frame.unmaskedData)), promise: nil)
        case .pong: break
        case .connectionClose: answerClose(frame.unmaskedData)
        case .text: begin(frame)
        case .continuation: goOn(frame)
        case .binary: close(.notText, "messages are JSON, in text frames")
        default: close(.protocolError, "there is no such frame")
        }
    }

    // MARK: Messages of the client

    private func begin(_ frame: WebSocketFrame) {
        guard fragments == nil else {
            return close(.protocolError, "a message begins before the last has ended")
        }
        fragments = frame.unmaskedData
        if frame.fin { finish() }
    }

    private func goOn(_ frame: WebSocketFrame) {
        guard fragments != nil else {
            return close(.protocolError, "a continuation frame without a first frame")
        }
        fragments?.writeImmutableBuffer(frame.unmaskedData)
        guard fragments?.readableBytes ?? 0 <= PushLimits.requestBytesMax else {
            return close(.tooLong, "a message has at most \(PushLimits.requestBytesMax) bytes")
        }
        if frame.fin { finish() }
    }

    private func finish() {
        let bytes = fragments.map { Array($0.readableBytesView) } ?? []
        fragments = nil
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return close(.notUTF8, "text is UTF-8")
        }
        guard case .wanting = stage else {
            return close(
                .badRequest, "one message begins a subscription: connect again for another")
        }
        subscribe(with: bytes)
    }

    /// Begins, with a message or with the parameters of the URL.
    func subscribe(with message: [UInt8]?) {
        guard case .wanting = stage else { return }
        patience?.cancel()
        do {
            if let message { try order.read(message: message) }
            try sharedHub.subscribe(admit(order), self) { stage = .subscribed($0) }
        } catch let refusal as PushRefusal {
            refuse(refusal)
        } catch let problem as Problem {
            let isToken = problem.kind == .unauthenticated || problem.kind == .forbidden
            refuse(PushRefusal(isToken ? .unauthorised : .badRequest, problem.detail))
        } catch {
            refuse(PushRefusal(.badRequest, "\(error)"))
        }
    }

    // MARK: Messages of the hub

    func take(_ push: EncodedPush) { outgoing.append(push) }

    func flush(_ receipts: PushReceipts) {
        defer { outgoing.removeAll(keepingCapacity: false) }
        guard case .subscribed(let id) = stage, let context else { return }
        let bytes = outgoing.reduce(0) { $0 + $1.bytes }
        for push in outgoing.dropLast() {
            context.write(wrapOutboundOut(push.webSocket), promise: nil)
        }
        guard let last = outgoing.last else { return }
        let receipts = NIOLoopBound(receipts, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(last.webSocket)).whenSuccess {
            receipts.value.add(id, bytes)
        }
    }

    func end(_ push: EncodedPush, _ ending: PushEnding) {
        for push in outgoing { context?.write(wrapOutboundOut(push.webSocket), promise: nil) }
        outgoing = []
        context?.write(wrapOutboundOut(push.webSocket), promise: nil)
        close(WebSocketCode(ending), ending.sentence)
    }

    private func refuse(_ refusal: PushRefusal) {
        let push = EncodedPush(.refusal(refusal))
        context?.write(wrapOutboundOut(push.webSocket), promise: nil)
        close(WebSocketCode(refusal.code), refusal.sentence)
    }

    // MARK: The end

    private func answerClose(_ data: ByteBuffer) {
        switch WebSocketText.closing(data) {
        case .success(let code): finish(with: WebSocketText.close(code, ""))
        case .failure(let fault): close(fault.code, fault.sentence)
        }
    }

    private func close(_ code: WebSocketCode, _ sentence: String) {
        finish(with: WebSocketText.close(code.rawValue, sentence))
    }

    /// A client that does not read its last message either is disconnected after a while.
    private func finish(with frame: ByteBuffer) {
        if case .closing = stage { return }
        if case .subscribed(let id) = stage { sharedHub.unsubscribe(id) }
        stage = .closing
        patience?.cancel()
        let channel = self.channel
        patience = channel.eventLoop.scheduleTask(in: TimeAmount(GatewayLimits.lingering)) {
            channel.close(promise: nil)
        }
        context?.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in
            // The other side closes first, so that it has read the last message.
            channel.close(mode: .output, promise: nil)
        }
    }
}
