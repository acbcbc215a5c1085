import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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

extension Task where Success == Never, Failure == Never {
    /// - Returns: `false` if the task was cancelled.
    static func slept(for duration: Duration) async -> Bool {
        do {
            try await sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}
