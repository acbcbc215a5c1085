import Dispatch
import Threading

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// SIGHUP, which says one of two things: "read your files again", or "your terminal is gone".
/// docs/decisions/0094 gives the reasons.
final class HangupSignal {
    enum Meaning: Hashable, Sendable {
        case reload
        case terminalLost
    }

    private let source: any DispatchSourceSignal

    /// Whether there was a terminal when ``hold()`` was called first; `nil` if it was not.
    private static let held = Guarded<Bool?>(nil)

    /// Whether this process was started with SIGHUP ignored, as by `nohup`: then it goes on being
    /// ignored.
    static var isIgnored: Bool { held.withLock { $0 == nil && isDiscarded } }

    /// Has SIGHUP end nothing from now on, until ``listen(_:)`` is there: a role that starts may
    /// take long. Any number of times.
    static func hold() {
        held.withLock { held in
            guard held == nil, !isDiscarded else { return }
            held = hasTerminal
            signal(SIGHUP, SIG_IGN)
        }
    }

    /// Whether the signal is ignored at the moment, by this process or its parent.
    private static var isDiscarded: Bool {
        let before = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, before)
        return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private init(_ source: any DispatchSourceSignal) { self.source = source }

    /// Listens until ``cancel()``. Returns once no signal can be missed any more. A terminal that
    /// was lost since ``hold()`` is told at once.
    ///
    /// - Parameter heard: called on some thread, once for each signal; those that come at one time
    ///   may be one.
    /// - Returns: `nil` where SIGHUP is ignored.
    static func listen(
        _ heard: @escaping @Sendable (Meaning) -> Void
    ) async -> HangupSignal? {
        hold()
        guard let hadTerminal = held.withLock({ $0 }) else { return nil }
        let source = await Interruption.listen(to: SIGHUP) {
            // The kernel takes the terminal away before it sends the signal.
            heard(hadTerminal && !hasTerminal ? .terminalLost : .reload)
        }
        if hadTerminal, !hasTerminal { heard(.terminalLost) }
        return HangupSignal(source)
    }

    func cancel() { source.cancel() }

    /// Whether the session of this process has a terminal. Where that cannot be found out, as
    /// without a free descriptor, it has: a terminal is not lost on suspicion.
    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        let error = errno
        guard terminal >= 0 else { return ![ENXIO, EIO, ENODEV, ENOENT].contains(error) }
        close(terminal)
        return true
    }
}
