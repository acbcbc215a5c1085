import CPlatform
import CZeroMQ
import LibC
import Synchronization

/// The sockets of one process and the threads that move their bytes.
///
/// A process needs one context, made after its last `fork` and terminated once, at the end.
///
/// ### Ending
///
///     any thread      shutdown()    every call on every socket now throws "terminated"
///     each owner      lets go of its sockets, which closes them
///     one thread      terminate()   returns when the last socket is closed
///
/// A socket keeps its context alive, so a context that is merely let go of ends after its last
/// socket and without waiting.
///
/// Sendable without the compiler's proof: libzmq's context is safe to use from every thread, and
/// whether the handle is still valid is decided under `phase`'s lock.
public final class Context: @unchecked Sendable {
    private enum Phase {
        case open
        case shutDown
        /// `zmq_ctx_term` was called: the handle must not be touched again.
        case terminated
    }

    private let handle: UnsafeMutableRawPointer
    /// The key pair of all sockets; `nil`: they have no keys, and neither have their peers.
    public let keys: CurveKeyPair?
    private let phase = Mutex(Phase.open)
    /// Seeds the C library's random numbers, from which libzmq draws the first number of a ROUTER's
    /// peers: without a seed, the same in every process. A peer that names itself by the next
    /// number ends the whole process when libzmq comes to it (an assertion in 4.3.4), so the number
    /// must be secret.
    private static let castDice: Void = srand(UInt32.random(in: 1...UInt32.max))

    /// Opens a context. Its threads start with its first socket.
    ///
    /// - Parameters:
    ///   - ioThreadCount: threads that move bytes, 1 to ``ZeroMQLimits/ioThreadCountMax``.
    ///   - socketCountMax: most sockets open at once, 1 to ``ZeroMQLimits/socketCountMax``.
    ///   - keys: with them every tcp and ipc connection is encrypted by CURVE, on either side. A
    ///     peer is admitted only if the context's ``ZAPHandler`` admits it. A socket can connect
    ///     only to endpoints with their server's key.
    /// - Throws: if libzmq is older than ``LibraryVersion/floor``, or memory or descriptors are
    ///   short. Nothing is left open.
    public init(
        ioThreadCount: Int = 1, socketCountMax: Int = 4096, keys: CurveKeyPair? = nil
    ) throws(ZeroMQError) {
        precondition(
            (1...ZeroMQLimits.ioThreadCountMax).contains(ioThreadCount),
            "a context has at least one thread that moves bytes, and not absurdly many")
        precondition(
            (1...ZeroMQLimits.socketCountMax).contains(socketCountMax),
            "a context allows at least one socket, and not absurdly many")
        guard LibraryVersion.linked >= .floor else {
            throw ZeroMQError(errno: ENOTSUP, during: .checkingLibraryVersion)
        }
        _ = Self.castDice
        guard let handle = zmq_ctx_new() else {
            throw ZeroMQError(errno: zmq_errno(), during: .openingContext)
        }
        do {
            try Self.set(ZMQ_IO_THREADS, to: ioThreadCount, on: handle)
            try Self.set(ZMQ_MAX_SOCKETS, to: socketCountMax, on: handle)
            // Sockets that were told no linger have none: termination never waits on a peer.
            try Self.set(ZMQ_BLOCKY, to: 0, on: handle)
        } catch {
            _ = zmq_ctx_term(handle)
            throw error
        }
        self.handle = handle
        self.keys = keys
    }

    private static func set(
        _ option: CInt, to value: Int, on handle: UnsafeMutableRawPointer
    ) throws(ZeroMQError) {
        try ZeroMQError.calling(during: .openingContext) {
            zmq_ctx_set(handle, option, CInt(value))
        }
    }

    deinit {
        // Every socket holds its context, so none is open here and this cannot wait for one.
        terminate()
    }

    /// Makes every call on every socket fail with an error that ``ZeroMQError/isTerminated``,
    /// those that are waiting in a poll at once.
    ///
    /// From any thread, any number of times. Sockets stay open until their owners let go of them.
    public func shutdown() {
        withPhase { phase in
            guard case .open = phase else { return }
            phase = .shutDown
            // It can only fail for a handle that is not a context.
            let result = zmq_ctx_shutdown(handle)
            precondition(result == 0, "a context that is not terminated can be shut down")
        }
    }

    /// Shuts down, then waits until all sockets are closed, and ends the context's threads.
    ///
    /// The first call waits; later ones return at once. A thread that calls this while it owns a
    /// socket waits for ever.
    ///
    /// - Complexity: as long as the owners take to close, and then at most the sockets' linger.
    public func terminate() {
        shutdown()
        let isFirst = withPhase { phase in
            if case .terminated = phase { return false }
            phase = .terminated
            return true
        }
        guard isFirst else { return }
        while zmq_ctx_term(handle) != 0 {
            precondition(zmq_errno() == EINTR, "only a signal can interrupt a termination")
        }
    }

    /// Runs `body` with the phase while no other thread has it.
    ///
    /// The lock's slow way lies in a library that ThreadSanitizer does not see, so it is told of
    /// the order.
    private func withPhase<Outcome: Sendable>(_ body: (inout Phase) -> Outcome) -> Outcome {
        let place = Unmanaged.passUnretained(self).toOpaque()
        return phase.withLock { phase in
            martlet_tsan_acquire(place)
            defer { martlet_tsan_release(place) }
            return body(&phase)
        }
    }

    /// Opens a libzmq socket, unless the context is ending.
    func openSocket(type: CInt) throws(ZeroMQError) -> UnsafeMutableRawPointer {
        // The address leaves the lock as a number, because 6.3.1 crashes on a pointer here.
        let (address, code) = withPhase { phase -> (Int, CInt) in
            guard case .open = phase else { return (0, ETERM) }
            let address = Int(bitPattern: zmq_socket(handle, type))
            return (address, address == 0 ? zmq_errno() : 0)
        }
        guard let socket = UnsafeMutableRawPointer(bitPattern: address) else {
            throw ZeroMQError(errno: code, during: .openingSocket)
        }
        return socket
    }
}
