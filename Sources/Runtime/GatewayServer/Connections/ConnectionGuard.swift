import CacheHTTP
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Limits the resources of one connection.
///
/// A head that cannot be read, or is too long, is answered with a problem, which the layers above
/// would not do. A client that does not read its answer is disconnected: each piece has the same
/// patience, so that a slow line is served and a stopped reader is not; and a whole answer has a
/// time limit by its length, because memory is reserved for it until it is sent. A request that
/// ends before its body does is an error, also if the layers below do not report it. A body that
/// cannot be read is answered with a problem, too, as long as no other answer has begun.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    private let meter: GatewayMeter
    private var stall: Scheduled<Void>?
    /// Ends an answer that is read too slowly as a whole.
    private var pace: Scheduled<Void>?
    /// Received heads, minus written answers.
    private var openCount = 0
    /// Whether a head was received and the end of its request was not.
    private var isArriving = false
    /// Whether an answer has begun and not ended.
    private var isAnswering = false
    /// Whether the last answer is written: later writes of the layers above are dropped.
    private var isOver = false
    /// The answer to send after those of earlier requests.
    private var late: Problem?

    init(patience: Duration, _ meter: GatewayMeter) {
        self.patience = TimeAmount(patience)
        self.meter = meter
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(ConnectionTerms(), position: .before(codec))
        } catch {
            // A stream of HTTP/2: its heads contain nothing about connections.
            tell(of: context.channel)
        }
    }

    /// Reports to the connection of a stream, which keeps it open.
    private func tell(of stream: any Channel) {
        do {
            let pipeline = stream.parent?.pipeline.syncOperations
            try pipeline?.handler(type: ConnectionWatch.self).opened(stream)
        } catch {
            // The connection has no watch.
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            openCount += 1
            isArriving = true
        case .body: break
        case .end: isArriving = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isOver else {
            promise?.succeed()
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isAnswering = head.status.kind != .informational
            if isAnswering { hold(head, context) }
        case .body: break
        case .end:
            openCount -= 1
            isAnswering = false
            pace?.cancel()
        }
        context.write(data, promise: promise)
        if let late, openCount == 0 { answerLast(late, context) }
    }

    /// Sets the time limit of an answer of several pieces. One of unknown length is an event
    /// stream, which has its own limits.
    private func hold(_ head: HTTPResponse, _ context: ChannelHandlerContext) {
        guard let bytes = head.headerFields[.contentLength].flatMap({ Int64($0) }),
            bytes > GatewayLimits.pieceBytes
        else { return }
        let time = TimeAmount.milliseconds(
            bytes * 1_000 / Int64(GatewayLimits.answerBytesPerSecondMin))
        let channel = context.channel
        pace = context.eventLoop.scheduleTask(in: patience + time) {
            channel.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall?.cancel()
        stall = nil
        if !context.channel.isWritable {
            let channel = context.channel
            stall = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stall?.cancel()
        pace?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stall?.cancel()
        pace?.cancel()
        // A stream of HTTP/2 that loses its connection ends as if its body were whole.
        if isArriving { context.fireErrorCaught(ChannelError.inputClosed) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isOfBody = openCount == 1 && isArriving && !isAnswering
        guard !isOver, let problem = Self.problem(error, isOfBody: isOfBody) else {
            context.fireErrorCaught(error)
            return
        }
        switch openCount {
        case 0: answerLast(problem, context)
        case _ where isOfBody:
            answerLast(problem, context)
            // The reader of the body waits for the rest of it.
            context.fireErrorCaught(error)
        case _ where isArriving: context.fireErrorCaught(error)
        default: late = problem
        }
    }

    /// Otherwise the remainder of the unreadable request would be read as more requests.
    private func answerLast(_ problem: Problem, _ context: ChannelHandlerContext) {
        isOver = true
        meter.refused(problem.kind)
        let answer = problem.answer
        var head = HTTPResponse(answer)
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: TimeAmount(GatewayLimits.lingering)) {
                channel.close(promise: nil)
            }
        }
    }

    private static func problem(_ error: any Error, isOfBody: Bool) -> Problem? {
        switch error as? HTTPParserError {
        case .some where isOfBody:
            Problem(.malformedBody, "the body's chunks cannot be read; nothing was done")
        case nil where error is HTTP1TypeConversionError:
            Problem(.malformedTarget, "the request's method is no word")
        case nil where error is ConnectionTerms.WrongHost:
            Problem(.malformedField, "a request of HTTP/1.1 has one Host")
        case nil where error is ConnectionTerms.UnknownCoding:
            Problem(.unknownCoding, "send the body as it is or in chunks, without another coding")
        case nil: nil
        case .headerOverflow:
            Problem(
                .headTooLarge,
                "a request's head has at most \(GatewayLimits.headBytesMax) bytes in "
                    + "\(GatewayLimits.fieldsMax) fields of \(GatewayLimits.fieldBytesMax)")
        default:
            Problem(
                .malformedTarget,
                "this is no HTTP/1.1 request: method, URL and version with a space between them, "
                    + "then fields")
        }
    }
}
