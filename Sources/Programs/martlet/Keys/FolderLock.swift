import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps other processes that take this lock, too, from changing a file of a directory, until it is
/// released. Nothing is left in the directory.
final class FolderLock {
    private let descriptor: CInt

    /// - Parameters:
    ///   - file: the one to be changed, links resolved.
    ///   - patience: how long to wait for another process that has it.
    /// - Throws: ``CommandFailure`` if another process has it for longer, or it cannot be taken.
    init(for file: URL, patience: Duration) throws(CommandFailure) {
        let folder = file.deletingLastPathComponent().path
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(folder, errno) }
        let end = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR else {
                close(descriptor)
                throw Self.failure(folder, number)
            }
            guard ContinuousClock.now < end else {
                close(descriptor)
                throw CommandFailure(
                    .unusableConfiguration,
                    "another process is changing \(file.path), and holds the lock of \(folder); "
                        + "nothing was done, try again")
            }
            usleep(20_000)
        }
    }

    deinit { close(descriptor) }

    private static func failure(_ folder: String, _ number: CInt) -> CommandFailure {
        CommandFailure(
            .unusableConfiguration,
            "\(folder) cannot be locked: \(String(cString: strerror(number)))")
    }
}
