#if Web
    import NIOCore
    import NIOHTTP1

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
