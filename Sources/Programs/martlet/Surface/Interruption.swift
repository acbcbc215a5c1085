import Dispatch
import Threading
import LibC

/// Ctrl-C, SIGTERM and the loss of the terminal as the ordinary end of a command that goes on until
/// it is told to stop.
enum Interruption {
    /// Under `nohup` the loss of the terminal is none.
    private static var signals: [Int32] {
        HangupSignal.isIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    }

    /// Does `work` until it ends by itself or the process is asked to stop; then cancels it, waits
    /// for its end and returns as if it were done. A second signal ends the process at once.
    static func ending(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let (interruptions, continuation) = AsyncStream<Void>.makeStream()
        var sources: [any DispatchSourceSignal] = []
        let signals = signals
        for number in signals {
            sources.append(
                await listen(to: number) {
                    signals.forEach { signal($0, SIG_DFL) }
                    continuation.yield()
                })
        }
        defer {
            sources.forEach { $0.cancel() }
            signals.forEach { signal($0, SIG_DFL) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask { for await _ in interruptions { return } }
            // The first that ends counts; an error of the work during its cancellation is ignored.
            try await group.next()
            group.cancelAll()
        }
    }

    /// What `work` comes to; `nil` if the process was asked to stop before it was done.
    static func result<Value: Sendable>(
        of work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let (values, ended) = AsyncStream<Value>.makeStream()
        try await ending { ended.yield(try await work()) }
        ended.finish()
        return await values.first { _ in true }
    }

    /// Returns once no signal can be missed any more.
    static func listen(
        to number: Int32, _ heard: @escaping @Sendable () -> Void
    ) async -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler(handler: heard)
        await withCheckedContinuation { isListening in
            source.setRegistrationHandler { isListening.resume() }
            source.resume()
        }
        return source
    }
}

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
