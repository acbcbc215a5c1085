import CacheModel
import CommandSurface
import Dispatch
import EssentialFoundation
import LibC
import Logging
import Synchronization
import Threading

/// What a service manager is told of a role: that it listens, that it ends, and in between, again
/// and again, that its threads turn. It is systemd's sd_notify(3), and needs nothing of systemd's.
///
///     $NOTIFY_SOCKET ◀── READY=1   WATCHDOG=1   WATCHDOG=1   …   STOPPING=1
///     $WATCHDOG_USEC     how long the manager waits for a WATCHDOG=1 before it kills the role and
///                        starts it again
///
/// WATCHDOG=1 is said after every thread has answered a ``Threading/Pulse``, and not before: a
/// process with a timer that runs beside a shard that hangs is not well.
final class ServiceNotifier: Sendable {
    enum News: String {
        case ready = "READY=1"
        case alive = "WATCHDOG=1"
        case stopping = "STOPPING=1"
    }

    /// Of what the manager waits at most, the part after which it hears again.
    private static let shareOfPatience: UInt64 = 3

    private let place: UnixPlace
    private let patience: Duration?
    private let complain: @Sendable (String) -> Void
    private let isOver = Atomic<Bool>(false)
    private let end = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - environment: with what the manager has said there.
    ///   - processID: of this process.
    ///   - complain: is told, in a sentence, what the manager could not be.
    /// - Returns: `nil` where no manager wants to hear anything.
    init?(
        environment: [String: String], processID: Int32,
        complain: @escaping @Sendable (String) -> Void
    ) {
        guard let socket = environment["NOTIFY_SOCKET"], !socket.isEmpty else { return nil }
        guard let place = UnixPlace(socket) else {
            complain(
                "the service manager is not notified: NOTIFY_SOCKET is no path, nor @ and a name")
            return nil
        }
        self.place = place
        self.complain = complain
        patience = Self.patience(environment, processID: processID)
    }

    /// The manager that started this process; `nil` if none wants to hear anything.
    static func ofThisProcess(_ logger: Logger) -> ServiceNotifier? {
        ServiceNotifier(
            environment: ProcessEnvironment.variables,
            processID: ProcessInfo.processInfo.processIdentifier
        ) { logger.warning("\($0)") }
    }

    /// How long it waits for a `WATCHDOG=1`; `nil` if it does not, or means another process.
    static func patience(
        _ environment: [String: String], processID: Int32
    ) -> Duration? {
        if let whose = environment["WATCHDOG_PID"], whose != "\(processID)" { return nil }
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
            microseconds > 0
        else { return nil }
        return .microseconds(microseconds)
    }

    /// Says it, without waiting. A manager that does not hear it does what it does with a role that
    /// is silent.
    func say(_ news: News) {
        guard let code = place.send(Array(news.rawValue.utf8)) else { return }
        complain(
            "the service manager was not told \(news.rawValue): \(String(cString: strerror(code)))")
    }

    /// Says again and again that the role is well, if the manager wants to know. For as long as
    /// `takePulse` has not called back it says nothing.
    func keepWatch(_ takePulse: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        guard let patience else { return }
        let pause = DispatchTimeInterval.nanoseconds(
            Int(clamping: patience.wholeNanoseconds / Self.shareOfPatience))
        do throws(ThreadStartError) {
            _ = try OwnedThread(name: "watchdog") { [self] in sayAlive(every: pause, takePulse) }
        } catch {
            complain("the service manager is not told that this role is well: \(error)")
        }
    }

    private func sayAlive(
        every pause: DispatchTimeInterval,
        _ takePulse: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        repeat {
            let pulse = Promise<Void>()
            takePulse { pulse.fulfil(()) }
            pulse.wait()
            guard !isOver.load(ordering: .acquiring) else { return }
            say(.alive)
        } while end.wait(timeout: .now() + pause) == .timedOut
    }

    /// Says that the role ends, and that it is well no more.
    func stop() {
        isOver.store(true, ordering: .releasing)
        end.signal()
        say(.stopping)
    }
}

/// Where datagrams go on this machine: the path of a socket, or `@` and a name of Linux's abstract
/// namespace.
struct UnixPlace: Sendable {
    /// As the system reads it, without the NUL at the end of a path.
    private let name: [UInt8]
    private var isAbstract: Bool { name.first == 0 }

    /// - Returns: `nil` for what is neither, or longer than a socket's name may be.
    init?(_ text: String) {
        var name = Array(text.utf8)
        switch name.first {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@") where name.count > 1: name[0] = 0
        default: return nil
        }
        // A path ends with a NUL, which has to fit too.
        guard name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        self.name = name
    }

    /// Sends one datagram, without waiting.
    ///
    /// - Returns: the errno of what went wrong; `nil` if nothing did.
    func send(_ bytes: [UInt8]) -> Int32? {
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
            let flags = Int32(MSG_DONTWAIT)
        #else
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(AF_UNIX, kind, 0)
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #endif
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let before = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 0
        let length = socklen_t(before + name.count + (isAbstract ? 0 : 1))
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, flags, $0, length)
            }
        }
        return sent < 0 ? errno : nil
    }
}
