import CPlatform
import LibC

/// A moment that a ``Poller`` wakes up at, to within some microseconds: the poller's own timeout
/// counts whole milliseconds.
///
/// It belongs to the poller's thread.
public final class PollTimer {
    /// The descriptor that is readable from the moment on.
    public let descriptor: CInt
    private var isSet = false

    /// Opens the timer's descriptor.
    ///
    /// - Throws: ``ZeroMQError/isOutOfDescriptors``.
    public init() throws(ZeroMQError) {
        var descriptor: CInt = -1
        let code = martlet_timer_open(&descriptor)
        guard code == 0 else { throw ZeroMQError(errno: code, during: .openingTimer) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sets it to go off so long from now; `nil` sets it to never. What was set before is void.
    public func set(_ duration: Duration?) {
        guard let duration else {
            if isSet { martlet_timer_set(descriptor, 0) }
            isSet = false
            return
        }
        let (seconds, attoseconds) = duration.components
        let bounded = min(max(seconds, 0), 1_000_000_000)
        martlet_timer_set(descriptor, max(1, bounded * 1_000_000_000 + attoseconds / 1_000_000_000))
        isSet = true
    }
}

@available(*, unavailable, message: "a timer stays on its poller's thread")
extension PollTimer: Sendable {}
