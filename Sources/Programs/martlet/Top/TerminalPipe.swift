import LibC

/// Signals as bytes in a pipe, which is all that a handler may do: a loop polls the other end.
///
/// There is one for the process, as its handlers are.
enum TerminalPipe {
    /// Written by a handler on whichever thread it runs, set before the first handler is there and
    /// never changed after it: unchecked for that reason.
    nonisolated(unsafe) private static var writeEnd: Int32 = -1

    private static let numbers: [(Int32, TerminalSignal)] = [
        (SIGWINCH, .resized), (SIGINT, .ended), (SIGTERM, .ended), (SIGHUP, .ended),
        (SIGQUIT, .ended), (SIGTSTP, .stopped), (SIGCONT, .continued),
    ]

    /// - Returns: the end to poll; `nil` if no descriptor is left.
    static func open() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        writeEnd = ends[1]
        return ends[0]
    }

    static func listen() { numbers.forEach { handle($0.0) } }

    /// Suspends this process until it is continued.
    static func stop() {
        // A shell that started it in one job with others expects all of them to stop. This process
        // does so last, and by a signal to this very thread: it has stopped when the call returns.
        signal(SIGTSTP, SIG_IGN)
        kill(0, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        // A thread that a dispatch queue's thread has started has it blocked.
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        sigaddset(&unblocked, SIGTSTP)
        var before = sigset_t()
        pthread_sigmask(SIG_UNBLOCK, &unblocked, &before)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        handle(SIGTSTP)
    }

    static func take(_ readEnd: Int32) -> [TerminalSignal] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(readEnd, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return bytes[..<count].compactMap { byte in
            numbers.first { UInt8(truncatingIfNeeded: $0.0) == byte }?.1
        }
    }

    private static func handle(_ number: Int32) {
        signal(number) { number in
            // An error cannot be reported here, and errno is the interrupted code's.
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(TerminalPipe.writeEnd, &byte, 1)
            errno = error
        }
    }
}
