import CPlatform

/// A bell that any thread may ring and one thread hears in its ``Poller``.
///
/// Put what is to be said in a queue first and ring afterwards; the owner drains the bell first and
/// reads the queue afterwards. So nothing is overheard. Any number of rings before a drain count
/// as one.
public final class Wakeup: Sendable {
    /// The descriptor that is readable while the bell rings.
    public let descriptor: CInt
    private let signalDescriptor: CInt

    /// Opens the bell's descriptor.
    ///
    /// - Throws: ``ZeroMQError/isOutOfDescriptors``.
    public init() throws(ZeroMQError) {
        var (readable, writable): (CInt, CInt) = (-1, -1)
        let code = martlet_wakeup_open(&readable, &writable)
        guard code == 0 else { throw ZeroMQError(errno: code, during: .openingWakeup) }
        descriptor = readable
        signalDescriptor = writable
    }

    deinit { martlet_wakeup_close(descriptor, signalDescriptor) }

    /// Rings. From any thread, never waits.
    public func signal() { martlet_wakeup_signal(signalDescriptor) }

    /// Silences the bell. Only the thread that polls it calls this, before it looks for work.
    public func drain() { martlet_wakeup_drain(descriptor) }
}
