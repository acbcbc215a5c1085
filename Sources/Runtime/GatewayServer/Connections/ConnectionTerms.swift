import CacheHTTP
import NIOCore
import NIOHTTP1

/// Translates the connection semantics of an HTTP/1 request for the layers above.
///
/// They do not see the version, and close a connection only for `Connection: close` in exactly this
/// spelling. So every last request gets that field: one that has it in any spelling, and one of
/// HTTP/1.0, which is answered without chunks. Bytes after it are ignored. A request of HTTP/1.1
/// must have exactly one Host: a proxy that uses the other one of two would forward requests that
/// it should not. The authority of an absolute URL replaces Host.
///
/// It is placed between HTTP/1's coders and the head's conversion; streams of HTTP/2 have none.
final class ConnectionTerms: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request of HTTP/1.1 without a host, or with two.
    struct WrongHost: Error {}
    /// A body with a transfer coding other than chunked: its bytes would be stored encoded.
    struct UnknownCoding: Error {}

    /// Why nothing is read after the request.
    private enum Last {
        case ofThisVersion
        case ofHTTP10
        case refused
    }

    private var last: Last?
    /// Whether the end of the last request is still missing.
    private var isArriving = false
    /// Requests without an answer yet.
    private var openCount = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard last == nil else { return }
            openCount += 1
            isArriving = true
            read(head, context)
        case .body where isArriving: context.fireChannelRead(data)
        case .end where isArriving:
            isArriving = false
            context.fireChannelRead(data)
        case .body, .end: break
        }
    }

    private func read(_ found: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let isOld = found.version != .http1_1
        let hosts = found.headers[canonicalForm: "host"].count
        guard hosts == 1 || isOld && hosts == 0 else { return refuse(WrongHost(), context) }
        let codings = found.headers[canonicalForm: "transfer-encoding"]
        guard codings.isEmpty || codings.map({ $0.lowercased() }) == ["chunked"] else {
            return refuse(UnknownCoding(), context)
        }
        var head = found
        // The conversion keeps only the path of an absolute URL.
        if let authority = RequestHead.authority(in: head.uri) {
            head.headers.replaceOrAdd(name: "Host", value: String(authority))
        }
        if isOld || !head.isKeepAlive {
            last = isOld ? .ofHTTP10 : .ofThisVersion
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        // A client of HTTP/1.0 does not understand an interim answer.
        if isOld { head.headers.remove(name: "Expect") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Nothing of this request or after it is read.
    private func refuse(_ reason: any Error, _ context: ChannelHandlerContext) {
        last = .refused
        isArriving = false
        context.fireErrorCaught(reason)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The decoder fails on bytes after the last request.
        if last != nil, !isArriving, error is HTTPParserError { return }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where openCount == 1 && last != nil && head.status.code >= 200:
            // The answer to the last request is the last one.
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            if last == .ofHTTP10 { head.version = .http1_0 }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            openCount -= 1
            context.write(data, promise: promise)
        case .head, .body: context.write(data, promise: promise)
        }
    }
}
