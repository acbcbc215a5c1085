import CZeroMQ

/// One libzmq socket: not copyable, so it is closed exactly once; not sendable, so it stays on
/// the thread that made it.
///
///      thread A                                   thread B
///      ┌───────────────────────────┐              ┌──────────────────────────┐
///      │ Poller ─ waits for ─┐     │   tcp, ipc   │     ┌─ waits for ─ Poller │
///      │ Wakeup ◀─ signal ───┤     │    inproc    │     ├─── signal ─▶ Wakeup │
///      │ Socket ◀────────────┘ ════╪══════════════╪════ └────────────▶ Socket │
///      └───────────────────────────┘              └──────────────────────────┘
///                    one Context: its own threads move the bytes
///
/// ### Threads
/// Make a socket inside the thread that uses it, and capture only the ``Context`` and the
/// ``Endpoint``. Other threads reach its owner through a ``Wakeup`` in the owner's ``Poller``.
///
/// ### One turn of an owner
/// Wait in the poller; receive until it answers `false`; answer; wait again. Sending and receiving
/// never wait, and allocate nothing on this side.
///
/// It sets no ZeroMQ heartbeats: in libzmq 4.3.4 they can abort the process. It offers no routing
/// ids, conflation or hand-over, each of which loses messages in silence. It does not report when a
/// peer leaves: watch for silence instead. Without keys in its ``Context`` it checks no peer: bind
/// it to loopback or to a network of trusted machines.
///
/// ### What gets lost
/// A PUB or XPUB socket drops for a slow subscriber and says "sent". Whatever was sent may be
/// lost when a connection breaks. Number the messages if it matters.
public struct Socket: ~Copyable {
    let handle: UnsafeMutableRawPointer
    /// What kind of socket this is.
    public let kind: Kind
    /// Kept alive, so that the context ends after its last socket.
    let context: Context

    /// Opens a socket with the defaults of ``ZeroMQLimits``.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending;
    ///   ``ZeroMQError/isOutOfDescriptors`` if it has no socket left. Nothing stays open.
    public init(_ context: Context, _ kind: Kind) throws(ZeroMQError) {
        let handle = try context.openSocket(type: kind.code)
        do {
            try SocketDefaults.apply(to: handle, kind, isKeyed: context.keys != nil)
        } catch {
            _ = zmq_close(handle)
            throw error
        }
        self.handle = handle
        self.kind = kind
        self.context = context
    }

    deinit {
        let result = zmq_close(handle)
        precondition(result == 0, "a socket is closed exactly once")
    }
}

@available(*, unavailable, message: "a socket stays on the thread that made it")
extension Socket: Sendable {}
