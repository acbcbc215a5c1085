import CZeroMQ
import LibC

/// The answer of libzmq or the system to a call that failed, and the call.
///
/// A call that failed had no effect, except that a multi-frame message may be half sent: see
/// ``Socket/send(_:more:)-(UnsafeRawBufferPointer,_)``.
public struct ZeroMQError: Error, Equatable, Sendable {
    /// What was being done, as in a sentence.
    public enum Operation: String, Sendable {
        case checkingLibraryVersion = "use this libzmq"
        case openingContext = "open a context"
        case openingSocket = "open a socket"
        case settingOption = "set a socket option"
        case readingOption = "read a socket option"
        case binding = "bind"
        case unbinding = "unbind"
        case connecting = "connect"
        case disconnecting = "disconnect"
        case sending = "send"
        case receiving = "receive"
        case polling = "poll"
        case openingWakeup = "open a wake-up descriptor"
        case openingTimer = "open a timer's descriptor"
        case makingKeys = "make a key pair"
        case monitoring = "watch a socket"
    }

    /// The error number, one of the system's or one of libzmq's own.
    public let errno: CInt
    public let during: Operation

    public init(errno: CInt, during: Operation) {
        self.errno = errno
        self.during = during
    }

    /// Whether the context was shut down: the owner of the socket should close it and end.
    public var isTerminated: Bool { errno == ETERM }
    /// Whether another socket, here or in another process, is bound to the endpoint.
    public var isAddressInUse: Bool { errno == EADDRINUSE }
    /// Whether the endpoint names an address this machine does not have.
    public var isAddressNotAvailable: Bool { errno == EADDRNOTAVAIL || errno == ENODEV }
    /// Whether the system forbids it: a port below 1024, or a folder that may not be written.
    public var isPermissionDenied: Bool { errno == EACCES || errno == EPERM }
    /// Whether the process, the system or the context has no descriptor or socket left.
    public var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }
    /// Whether a side with a key was to connect to an endpoint without its server's key, or a side
    /// without a key to an endpoint with one.
    public var isKeyMissing: Bool { errno == Self.keyMissing }
    /// Whether the folder of an ipc path, or the endpoint to leave, does not exist.
    public var isNotFound: Bool { errno == ENOENT }
}

extension ZeroMQError: CustomStringConvertible {
    /// One sentence for an operator, such as "cannot bind: Address already in use (error 98)".
    public var description: String {
        if during == .checkingLibraryVersion {
            return "libzmq \(LibraryVersion.linked) is older than \(LibraryVersion.floor), "
                + "the oldest without known vulnerabilities"
        }
        return "cannot \(during.rawValue): \(String(cString: zmq_strerror(errno))) (error \(errno))"
    }
}

extension ZeroMQError {
    /// The system's number for it.
    static var keyMissing: CInt {
        #if canImport(Darwin)
            EAUTH
        #else
            ENOKEY
        #endif
    }

    /// Makes a call that answers 0 for success, again while a signal interrupts it.
    ///
    /// For everything but the hot path, which has its own loops.
    static func calling(
        during operation: Operation, _ call: () -> CInt
    ) throws(ZeroMQError) {
        while call() != 0 {
            // Read before anything else can run.
            let code = zmq_errno()
            if code != EINTR { throw ZeroMQError(errno: code, during: operation) }
        }
    }
}
