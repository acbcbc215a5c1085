import CommandSurface
import EssentialFoundation
import LibC
import SystemPackage

/// A file that others read at any moment: it is replaced as a whole, so each reader sees all of it.
///
/// The replaced file is gone, and so nothing but an ordinary file may be there. Run as root it
/// would leave all users a file in the place of `/dev/null`.
struct ReplacedFile: Sendable {
    let url: URL

    /// - Parameter flag: which the path was given to, for the error.
    /// - Throws: ``CommandFailure`` if there is something else than an ordinary file.
    init(_ path: String, flag: String) throws(CommandFailure) {
        // A name for another place goes on being one.
        url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        var facts = stat()
        // What cannot be looked at is told by the first write.
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG else { return }
        throw CommandFailure(
            .wrongUsage,
            "\(flag): \(path) is no ordinary file, and one would take its place; "
                + "give another name")
    }

    /// The file keeps its owner and mode.
    ///
    /// - Throws: an error of the system's; the file is as it was then.
    func write(_ data: Data) throws {
        var facts = stat()
        guard stat(url.path, &facts) == 0 else {
            return try data.write(to: url, options: .atomic)
        }
        // The name is random: in a folder that all users may write, no other user can have made it.
        let new = url.appendingPathExtension("new-\(UUID().uuidString)")
        do {
            try data.write(to: new, options: .withoutOverwriting)
            try Self.call { chown(new.path, facts.st_uid, facts.st_gid) }
            try Self.call { chmod(new.path, facts.st_mode & 0o7777) }
            try Self.call { rename(new.path, url.path) }
        } catch {
            unlink(new.path)
            throw error
        }
    }

    private static func call(_ body: () -> CInt) throws {
        guard body() == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}

/// Why the system refused something, in the system's own words.
enum SystemReason {
    /// `No such file or directory` and its like, where an error of Foundation's names the system's;
    /// else the error's own text, in one line.
    static func text(_ error: any Error) -> String {
        if let error = error as? POSIXError { return "\(Errno(rawValue: error.code.rawValue))" }
        if let error = error as? CocoaError, let cause = error.underlying { return text(cause) }
        return HarmlessText.line("\(error)")
    }
}

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
