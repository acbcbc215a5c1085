import Threading

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
