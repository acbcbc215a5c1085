import CommandSurface
import LibC
import LoadTest
import SystemPackage

/// The file that a report goes to. It is opened before the load test begins, so that a file that
/// cannot be written is an error at once. Its old contents stay until the report is written.
struct ReportFile {
    private let file: FileDescriptor
    private let path: String
    /// Whether it was not there before.
    private let isNew: Bool

    /// Opens the file, or makes it.
    ///
    /// - Throws: ``CommandFailure`` if the system refuses.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let flags: FileDescriptor.OpenOptions = [.create, .closeOnExec]
        do {
            (file, isNew) = (try Self.open(path, flags.union(.exclusiveCreate)), true)
        } catch {
            do {
                (file, isNew) = (try Self.open(path, flags), false)
            } catch { throw Self.failure(path, error) }
        }
    }

    private static func open(
        _ path: String, _ options: FileDescriptor.OpenOptions
    ) throws -> FileDescriptor {
        try FileDescriptor.open(
            path, .writeOnly, options: options,
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
    }

    /// Writes the report in the place of what was there.
    ///
    /// - Throws: ``CommandFailure`` if the disk takes no more.
    func write(_ figures: RunFigures) throws(CommandFailure) {
        do {
            try file.closeAfter {
                // What is no ordinary file has no length.
                guard ftruncate(file.rawValue, 0) == 0 || errno == EINVAL else {
                    throw Errno(rawValue: errno)
                }
                try file.writeAll(ReportPage(figures).html.utf8)
            }
        } catch { throw Self.failure(path, error) }
    }

    /// There will be no report: what was there before is there still, and nothing else.
    func abandon() {
        file.closeQuietly()
        if isNew { unlink(path) }
    }

    private static func failure(_ path: String, _ reason: any Error) -> CommandFailure {
        CommandFailure(.refused, "--report: \(path) cannot be written: \(reason)")
    }
}
