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
#endif
