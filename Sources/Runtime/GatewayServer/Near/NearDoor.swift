import CacheHTTP
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Threading

/// Answers reads from the near cache on the event loop itself: without a task or another thread.
///
/// All other requests, and every such read while an earlier request of its connection is under way,
/// are passed to the layers above. So is a read at intervals although it need not be: the layers
/// above close connections without activity.
final class NearDoor: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let responder: GatewayResponder
    private let silenceMax: TimeAmount
    /// Requests that were passed on and are not answered yet.
    private var openCount = 0
    /// The answer to send once the current request has been read completely.
    private var answer: (answer: Answer, visit: Visit)?
    private var letThroughAt = NIODeadline.now()
    private var hasWritten = false
    /// Bytes of answers that were not flushed yet.
    private var unflushedBytes = 0

    init(_ responder: GatewayResponder) {
        self.responder = responder
        silenceMax = TimeAmount(responder.patience / 4)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            answer = answer(to: request, context)
            guard answer == nil else { return }
            openCount += 1
            letThroughAt = .now()
        case .body where answer != nil: return
        case .body: break
        case .end:
            guard var answer else { break }
            self.answer = nil
            write(answer.answer, context)
            answer.visit.end()
            return
        }
        context.fireChannelRead(data)
    }

    private func answer(
        to request: HTTPRequest, _ context: ChannelHandlerContext
    ) -> (answer: Answer, visit: Visit)? {
        guard openCount == 0, context.channel.isWritable,
            NIODeadline.now() - letThroughAt < silenceMax
        else { return nil }
        return responder.nearAnswer(to: request, on: context.channel)
    }

    private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(responder.head(of: answer))), promise: nil)
        if !answer.body.isEmpty {
            context.write(
                wrapOutboundOut(.body(ByteBuffer(bytes: answer.body))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        hasWritten = true
        unflushedBytes += answer.body.count + Self.headBytes
        if unflushedBytes > GatewayLimits.pieceBytes { flush(context) }
    }

    /// Approximate size of an answer beside its body.
    private static let headBytes = 512

    /// Answers to requests that arrived together are flushed together, up to a limit: with TLS,
    /// only flushed bytes show whether a connection accepts them.
    private func flush(_ context: ChannelHandlerContext) {
        hasWritten = false
        unflushedBytes = 0
        context.flush()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasWritten { flush(context) }
        context.fireChannelReadComplete()
    }

    /// A request that never ended is over, too.
    func handlerRemoved(context: ChannelHandlerContext) {
        answer?.visit.end()
        answer = nil
        responder.decisions.forget(context.channel)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { openCount -= 1 }
        context.write(data, promise: promise)
    }
}

/// What was decided on event loops about requests that tasks answer, so that a request is
/// authorised once. A connection has at most one: ``NearDoor`` decides only if no other request is
/// open.
final class DecisionTable: Sendable {
    private struct Entry {
        let request: HTTPRequest
        let decision: GatewayAdmission.Decision
    }

    private let entries = Guarded<[ObjectIdentifier: Entry]>([:])

    func put(
        _ decision: GatewayAdmission.Decision, about request: HTTPRequest,
        for channel: any Channel
    ) {
        let entry = Entry(request: request, decision: decision)
        entries.withLock { $0[ObjectIdentifier(channel)] = entry }
    }

    /// Removes the decision of a connection.
    ///
    /// - Returns: `nil` if there is none, or it is about another request: one caller's rights are
    ///   never used for another's, in whatever order requests reach their tasks.
    func take(
        about request: HTTPRequest, for channel: any Channel
    ) -> GatewayAdmission.Decision? {
        guard let entry = remove(for: channel), entry.request == request else { return nil }
        return entry.decision
    }

    /// The connection is gone.
    func forget(_ channel: any Channel) { _ = remove(for: channel) }

    private func remove(for channel: any Channel) -> Entry? {
        entries.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}
