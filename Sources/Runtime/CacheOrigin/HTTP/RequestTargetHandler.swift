#if Web
    import NIOCore
    import NIOHTTP1

    /// Writes the target of a request exactly as it was asked for.
    ///
    /// The HTTP client takes targets from a `URL`, which knows only text: where a path's escapes
    /// are not UTF-8, as a key's bytes may be, its path is empty and the client would ask for `/` –
    /// another value, and a wrong one. So the client is given the root alone, and the target
    /// travels beside it in a field that ends here. A request without that field is not sent at
    /// all.
    final class RequestTargetHandler: ChannelOutboundHandler {
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        /// A request came without its target.
        struct TargetMissing: Error {}

        /// Never on the wire.
        static let fieldName = "martlet-request-target"

        /// Puts one into a new connection, right behind what encodes requests, and before it what
        /// watches over its reuse.
        static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
                try pipeline.addHandler(RequestTargetHandler(), position: .after(encoder))
                try pipeline.addHandler(ReuseHandler(), position: .after(encoder))
            }.flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard case .head(var head) = unwrapOutboundIn(data) else {
                return context.write(data, promise: promise)
            }
            guard let target = head.headers.first(name: Self.fieldName) else {
                promise?.fail(TargetMissing())
                context.fireErrorCaught(TargetMissing())
                return context.close(promise: nil)
            }
            head.headers.remove(name: Self.fieldName)
            head.uri = target
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        }
    }

    /// Tells a request that found its connection closed from one that its origin failed.
    ///
    /// An origin closes a connection that was idle for long, or when it ends. A request that is on
    /// its way at that moment gets no byte of an answer. It is sent over another connection, and
    /// says nothing about the origin's health. On a connection that has served no request before,
    /// the same is a failure like any other.
    ///
    /// It stands right behind what encodes requests, so that it sees every byte that comes.
    final class ReuseHandler: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        /// The connection had served a request before, and ended before a byte of the answer came.
        struct ConnectionEnded: Error {}

        private var requestCount = 0
        private var isWaiting = false

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .head = unwrapOutboundIn(data) {
                requestCount += 1
                isWaiting = true
            }
            context.write(data, promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            isWaiting = false
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // The system's: a reset, or a broken pipe.
            let isOfConnection = error is IOError
            context.fireErrorCaught(isOfConnection && takesEnd() ? ConnectionEnded() : error)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if takesEnd() { context.fireErrorCaught(ConnectionEnded()) }
            context.fireChannelInactive()
        }

        /// Whether a request waits on a connection that was used before; said once.
        private func takesEnd() -> Bool {
            defer { isWaiting = false }
            return isWaiting && requestCount > 1
        }
    }
#endif
