import CommandSurface
import LibC
import Logging
import ServiceLifecycle
import Threading
import UnixSignals

/// A run of a role: it runs until it ends by itself, a signal asks it to end, its terminal is gone,
/// or – for a child of `up` – its parent is. However it ends, ``stop`` has returned before the
/// process does.
struct RoleService: Service {
    /// Brings the role up, where that takes a while; cancelled if the role is asked to end first.
    /// Called once a signal leads to an orderly end.
    var prepare: @Sendable () async throws -> Void = {}
    /// Says that the role is there. Called once a signal leads to an orderly end: a program that
    /// reads it may send one.
    var announce: @Sendable () -> Void = {}
    /// Blocks until the role has ended, by itself or by ``stop``; says why, if it was not asked.
    var waitUntilEnded: @Sendable () -> CommandFailure?
    /// Ends the role; returns when nothing is left of it.
    var stop: @Sendable () -> Void
    var endsWithInput: Bool
    /// Asks every thread of the role whether it turns, and calls back once all have answered.
    var takePulse: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether memory that was freed is given back: not where very many small values of a role's
    /// own lie between what it frees.
    var givesMemoryBack = true
    /// The service manager that is told how the role is; `nil`: there is none.
    var manager: ServiceNotifier?
    /// Has the files be read again that the role does not look at by itself.
    var reload: (@Sendable () -> Void)?

    private enum Event: Sendable {
        case asked
        case ended(CommandFailure?)
    }

    /// Runs under a service group that turns SIGINT and SIGTERM into an orderly end. SIGHUP is to
    /// be held from the beginning of the role on: ``HangupSignal/hold()``.
    func runUntilStopped(logger: Logger) async throws {
        // A reader of a role's output, or a peer, may close its end: that ends no role.
        signal(SIGPIPE, SIG_IGN)
        var quiet = logger
        quiet.logLevel = max(.warning, logger.logLevel)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                // A role may end by itself without a fault: a node that was drained does.
                services: [
                    .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigint, .sigterm], logger: quiet))
        let hangup = await HangupSignal.listen { meaning in
            switch meaning {
            // A child of `up` ends when its parent does.
            case .terminalLost where endsWithInput: break
            case .terminalLost: Task { await group.triggerGracefulShutdown() }
            case .reload: reloadNow(logger)
            }
        }
        defer { hangup?.cancel() }
        let memory = givesMemoryBack ? Self.watchFreedMemory(logger) : nil
        defer { memory?.stop() }
        try await startOrEnd { () throws(ThreadStartError) in
            guard endsWithInput else { return }
            try InputWatch.start { Task { await group.triggerGracefulShutdown() } }
        }
        do {
            try await group.run()
        } catch let error as ServiceGroupError {
            throw CommandFailure(.bug, "\(error)")
        }
    }

    private func reloadNow(_ logger: Logger) {
        logger.notice(
            reload == nil
                ? "SIGHUP: lists of keys and tokens are read 4 times a second in any case"
                : "SIGHUP: the configuration file is read now")
        reload?()
    }

    /// - Returns: `nil` where freed memory is not given back by us.
    private static func watchFreedMemory(_ logger: Logger) -> FreedMemoryWatch? {
        do {
            return try FreedMemoryWatch.start { given in
                let size = FigureText.size(UInt64(given.bytes))
                let time = FigureText.milliseconds(given.time)
                logger.info("gave \(size) of freed memory back, in \(time) ms")
            }
        } catch {
            logger.warning("freed memory is not given back: \(error)")
            return nil
        }
    }

    func run() async throws {
        guard try await isPrepared() else { return await end() }
        announce()
        manager?.say(.ready)
        manager?.keepWatch(takePulse)
        let (events, continuation) = AsyncStream<Event>.makeStream()
        try await startOrEnd { () throws(ThreadStartError) in
            _ = try OwnedThread(name: "role end") { continuation.yield(.ended(waitUntilEnded())) }
        }
        let first = await withGracefulShutdownHandler {
            await events.first { _ in true }
        } onGracefulShutdown: {
            continuation.yield(.asked)
        }
        manager?.stop()
        await end()
        if case .ended(let error?) = first { throw error }
    }

    /// - Returns: `false` if the role was asked to end meanwhile.
    private func isPrepared() async throws -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await prepare() }
        } catch is CancellationError {
            return false
        } catch {
            await end()
            throw error
        }
        return true
    }

    /// Starts a thread of the role's; without it the role ends in order.
    private func startOrEnd(_ start: () throws(ThreadStartError) -> Void) async throws {
        do throws(ThreadStartError) {
            try start()
        } catch {
            manager?.stop()
            await end()
            throw CommandFailure(.refused, "\(error)")
        }
    }

    private func end() async {
        await blocking("role stop", stop)
    }
}

/// Notices that standard input was closed, as happens when the process at its other end dies.
enum InputWatch {
    /// - Throws: where no thread can be started to watch it.
    static func start(
        _ whenClosed: @escaping @Sendable () -> Void
    ) throws(ThreadStartError) {
        _ = try OwnedThread(name: "input") {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count > 0 || (count < 0 && errno == EINTR) { continue }
                return whenClosed()
            }
        }
    }
}
