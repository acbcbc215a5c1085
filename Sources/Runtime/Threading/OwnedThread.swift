import CPlatform

/// A thread of our own for one body, and the body's outcome.
///
///      starter                               the thread
///      ┌──────────────────┐   body           ┌──────────────────────────────┐
///      │ OwnedThread(…)   │─────────────────▶│ its loop: sockets, a core,   │
///      │ anybody          │   letters, bell  │ everything they own          │
///      │ mailbox.post(…)  │═════Mailbox═════▶│ mailbox.takeAll()            │
///      │ join()           │◀────Promise──────│ outcome                      │
///      └──────────────────┘                  └──────────────────────────────┘
///
/// A loop that blocks in a poller must not sit on one of Swift's few shared threads. So each loop
/// has one of these, starts it once, and owns there whatever no other thread may touch; others
/// reach it through a ``Mailbox`` and learn of its beginning and its end by a ``Promise``. What
/// few things are truly shared lie in a ``Guarded``.
///
/// Nothing here decides anything, and no thread is ended from outside: a letter asks it to end. A
/// thread without a reference or a join runs to its end all the same.
package final class OwnedThread<Outcome: Sendable>: Sendable {
    private let end = Promise<Outcome>()

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: for debuggers and `top`; Linux keeps its first 15 bytes.
    ///   - stackBytes: at least ``ThreadingLimits/stackBytesMin``.
    /// - Throws: ``ThreadStartError``; `body` is never called then.
    package init(
        name: String, stackBytes: Int = ThreadingLimits.stackBytes,
        _ body: @escaping @Sendable () -> Outcome
    ) throws(ThreadStartError) {
        precondition(
            stackBytes >= ThreadingLimits.stackBytesMin,
            "a thread of ours has room for the calls it makes")
        let start = Unmanaged.passRetained(
            ThreadStart { [end] in
                martlet_thread_set_name(name)
                end.fulfil(body())
            })
        let code = martlet_thread_start(stackBytes, threadEntry, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw ThreadStartError(code: code)
        }
    }

    /// Waits until the body has returned. Any thread but this one may, any number of times.
    ///
    /// - Returns: what the body returned.
    @discardableResult
    package func join() -> Outcome { end.wait() }
}

/// What a new thread is handed: C carries one pointer to it.
private final class ThreadStart: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func threadEntry(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { preconditionFailure("a thread is started with its body") }
    Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().body()
    return nil
}
