import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Notices that standard input was closed, as happens when the process at its other end dies.
enum InputWatch {
    static func start(_ whenClosed: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count > 0 || (count < 0 && errno == EINTR) { continue }
                return whenClosed()
            }
        }
    }
}
