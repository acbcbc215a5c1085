import Dispatch

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

    /// Whether this process was started with SIGHUP ignored, as by `nohup`: then it goes on being
    /// ignored.
    static var isIgnored: Bool {
        let before = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, before)
        return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private init(_ source: any DispatchSourceSignal) { self.source = source }

    /// Listens until ``cancel()``. Returns once no signal can be missed any more.
    ///
    /// - Parameter heard: called on some thread, once for each signal; those that come at one time
    ///   may be one.
    /// - Returns: `nil` where SIGHUP is ignored.
    static func listen(
        _ heard: @escaping @Sendable (Meaning) -> Void
    ) async -> HangupSignal? {
        guard !isIgnored else { return nil }
        let hadTerminal = hasTerminal
        return HangupSignal(
            await Interruption.listen(to: SIGHUP) {
                // The kernel takes the terminal away before it sends the signal.
                heard(hadTerminal && !hasTerminal ? .terminalLost : .reload)
            })
    }

    func cancel() { source.cancel() }

    /// Whether the session of this process has a terminal.
    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }
}
