import CacheModel
package import Logging
package import NIOCore
import Threading

/// Stands first on a channel that accepts connections: where one cannot be accepted, mostly for
/// want of a descriptor, nothing is accepted for a moment.
///
///     accepting ──error──▶ paused ──``HealthLimits/acceptPause``──▶ accepting
///
/// Without it a connection that waits would wake the event loop again and again: NIO goes on
/// listening to a socket until something was read from it. Lives on the event loop of its channel.
package final class AcceptPause: ChannelDuplexHandler {
    package typealias InboundIn = any Channel
    package typealias OutboundIn = Never

    private let logger: Logger
    private let refused: @Sendable () -> Void
    private var isPaused = false
    /// Whether a read was requested during the pause.
    private var isReadWanted = false
    private var failureCount = 0
    private var lastLineAt: Instant?

    /// - Parameter refused: called on the event loop each time that a connection could not be
    ///   accepted.
    package init(logger: Logger, refused: @escaping @Sendable () -> Void = {}) {
        self.logger = logger
        self.refused = refused
    }

    package func read(context: ChannelHandlerContext) {
        if isPaused {
            isReadWanted = true
        } else {
            context.read()
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        refused()
        failureCount += 1
        say(error)
        guard !isPaused else { return }
        isPaused = true
        listen(false, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: HealthLimits.acceptPause) {
            let (handler, context) = bound.value
            handler.goOn(context)
        }
    }

    private func goOn(_ context: ChannelHandlerContext) {
        isPaused = false
        guard context.channel.isActive else { return }
        listen(true, context)
        guard isReadWanted else { return }
        isReadWanted = false
        context.read()
    }

    /// Done at once: this is the channel's event loop.
    private func listen(_ isListening: Bool, _ context: ChannelHandlerContext) {
        context.channel.setOption(.autoRead, value: isListening).whenFailure { [logger] error in
            logger.debug("connections are accepted at once again: \(error)")
        }
    }

    /// One line in ``HealthLimits/acceptLineInterval`` at most.
    private func say(_ error: any Error) {
        let now = MonotonicClock.now
        if let lastLineAt, now.elapsed(since: lastLineAt) < HealthLimits.acceptLineInterval {
            return
        }
        lastLineAt = now
        logger.warning(
            """
            connections cannot be accepted and wait: raise the limit of descriptors \
            (LimitNOFILE= of systemd, ulimit -Hn) and restart, or find the addresses that hold so \
            many connections
            """,
            metadata: ["reason": "\(error)", "failures": "\(failureCount)"])
        failureCount = 0
    }
}
