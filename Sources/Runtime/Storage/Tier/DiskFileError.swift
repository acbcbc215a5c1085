import LibC

/// Why a tier's file could not be opened or made ready.
package enum DiskFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another node has the file, or another shard of this one.
    case inUse(path: String)
    /// A directory, a device or the like stands there.
    case notAFile(path: String)
    /// `missingBytes` is 0 where it is unknown: a quota, or what the file system needs itself.
    case noRoom(path: String, neededBytes: Int, missingBytes: Int)
    /// The file system does not reserve room, or does not map files into memory.
    case unfit(path: String, lacking: String)
    /// The file does not have the size that its geometry asks for.
    case wrongSize(path: String, foundBytes: Int, expectedBytes: Int)
    /// What stands at its beginning cannot be read.
    case unreadable(path: String, String)
    case call(String, path: String, code: CInt)
    case noThread(String)

    package var description: String {
        switch self {
        case .inUse(let path):
            "\(path) is in use by a node that is running; stop that one, or name another directory"
        case .notAFile(let path):
            "\(path) is not a plain file; remove it, or name another directory"
        case .noRoom(let path, let needed, let missing):
            "\(path) needs \(Self.size(needed))"
                + (missing > 0 ? " and \(Self.size(missing)) are missing there" : "")
                + "; make room on that disk, or give the disk tier less"
        case .unfit(let path, let lacking):
            "the file system of \(path) \(lacking); put the disk tier on a disk of this machine, "
                + "with ext4 or XFS"
        case .wrongSize(let path, let found, let expected):
            "\(path) has \(found) bytes and not \(expected): it was truncated or extended"
        case .unreadable(let path, let reason):
            "\(path) cannot be read: \(reason); remove it to begin with an empty one, or name a "
                + "directory on another disk"
        case .call(let step, let path, let code):
            "the system did not \(step) \(path): \(Self.text(code))" + Self.remedy(code)
        case .noThread(let reason):
            "the disk tier has no thread to work on: \(reason)"
        }
    }

    private static func remedy(_ code: CInt) -> String {
        switch code {
        case ENOTDIR, EEXIST:
            "; a disk tier lies in a directory of its own, name one that does not exist yet or an "
                + "empty one"
        case ENOENT: "; create the directory that it is to lie in, or correct the path"
        case EACCES, EPERM: "; let the user that runs the node read and write there"
        case EROFS: "; mount that file system for writing, or name another directory"
        case EMFILE, ENFILE: "; allow the node more open files (ulimit -n), or give it fewer shards"
        default: ""
        }
    }

    /// Rounded up: so much more free space is enough.
    private static func size(_ bytes: Int) -> String { "\((bytes + (1 << 20) - 1) >> 20) MiB" }

    static func text(_ code: CInt) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
