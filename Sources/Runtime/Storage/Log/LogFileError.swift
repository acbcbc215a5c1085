package import CacheModel
import LibC

/// What a log on disk could not do, and where.
package enum LogFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another publisher has the directory.
    case inUse(directory: String)
    /// Another node has the directory of its write queue.
    case queueInUse(directory: String)
    /// Another publisher has the directory of its state.
    case stateInUse(directory: String)
    case call(String, path: String, code: CInt)
    /// An earlier failure left open what is on the disk, so nothing is written until a restart has
    /// looked.
    case halted(since: String)
    case noThread(String)
    /// A later release wrote a file of the log, or a record in it.
    case newerForm(path: String, record: LogPosition?)

    package var isDiskFull: Bool {
        guard case .call(_, _, let code) = self else { return false }
        return code == ENOSPC || code == EDQUOT || code == EFBIG
    }

    package var description: String {
        switch self {
        case .inUse(let directory):
            "\(directory) is the log of a publisher that is running; stop that one, or choose "
                + "another directory"
        case .queueInUse(let directory):
            "\(directory) is the write queue of a node that is running; stop that one, or choose "
                + "another directory"
        case .stateInUse(let directory):
            "\(directory) is the state directory of a publisher that is running; each publisher "
                + "needs one of its own"
        case .call(let step, let path, let code) where isDiskFull:
            "no room left to \(step) \(path) (\(Self.text(code))); make room on that disk"
        case .call(let step, let path, let code) where code == ENOTDIR || code == EEXIST:
            "the system did not \(step) \(path): \(Self.text(code)); the log is a directory of "
                + "its own, name one that does not exist yet or an empty one"
        case .call(let step, let path, let code) where code == ENOENT:
            "the system did not \(step) \(path): \(Self.text(code)); create the directory that it "
                + "is to lie in, or correct the path"
        case .call(let step, let path, let code) where code == EACCES || code == EPERM:
            "the system did not \(step) \(path): \(Self.text(code)); let the user that runs the "
                + "publisher read and write there"
        case .call(let step, let path, let code):
            "the system did not \(step) \(path): \(Self.text(code))"
        case .halted(let reason):
            "the log is not written any more, restart the publisher; \(reason)"
        case .newerForm(let path, let record):
            "\(path) was written by a later release"
                + (record.map { ": this one cannot read the record at \($0)" } ?? "")
                + "; start that release again, or a later one. Nothing was changed. To begin "
                + "another log, name an empty directory"
        case .noThread(let reason): "the log has no thread to write on: \(reason)"
        }
    }

    private static func text(_ code: CInt) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
