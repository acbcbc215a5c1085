import CommandSurface
import Foundation
import LoadTest

/// The file that a report goes to. It is opened before the load test begins, so that nobody hears
/// only at the end that it cannot be written; what it held stays there until then.
struct ReportFile {
    private let handle: FileHandle
    private let path: String
    /// Whether it was not there before.
    private let isNew: Bool

    /// Opens the file, or makes it.
    ///
    /// - Throws: ``CommandFailure`` if the system refuses.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC
        var descriptor = open(path, flags | O_EXCL, 0o644)
        isNew = descriptor >= 0
        if !isNew { descriptor = open(path, flags, 0o644) }
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes the report in the place of what was there.
    ///
    /// - Throws: ``CommandFailure`` if the disk takes no more.
    func write(_ figures: RunFigures) throws(CommandFailure) {
        // What is no ordinary file has no length.
        guard ftruncate(handle.fileDescriptor, 0) == 0 || errno == EINVAL else {
            throw Self.failure(path, errno)
        }
        do {
            try handle.write(contentsOf: Data(ReportPage(figures).html.utf8))
            try handle.close()
        } catch {
            throw CommandFailure(
                .refused, "--report: \(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// There will be no report: what was there before is there still, and nothing else.
    func abandon() {
        if isNew { unlink(path) }
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        let cause = String(cString: strerror(code))
        return CommandFailure(.refused, "--report: \(path) cannot be written: \(cause)")
    }
}
