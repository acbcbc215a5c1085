import LibC

/// A file that is opened first, then checked, and read from the same descriptor: so the checked
/// file is the one that is read, whatever its path names meanwhile. A pipe without a writer does
/// not block.
///
/// Links are followed: container platforms provide keys and lists as links.
package struct OpenedFile: ~Copyable {
    /// Why a file was not read.
    package enum Problem: Error {
        case failed(errno: CInt)
        case noFile
        case open(mode: UInt32)
        case tooLong(bytesMax: Int)

        /// The reason, without the path; the caller names that.
        package var reason: String {
            switch self {
            case .failed(let errno): String(cString: strerror(errno))
            case .noFile: "it is no file"
            case .open(let mode): "it may be read by others (mode \(String(mode, radix: 8)))"
            case .tooLong(let bytesMax): "it is longer than \(bytesMax) bytes"
            }
        }
    }

    private let descriptor: CInt
    private let facts: stat

    /// - Throws: also for what is no regular file: it may have no end.
    package init(_ path: String) throws(Problem) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .failed(errno: errno) }
        var facts = stat()
        let problem: Problem? =
            if fstat(descriptor, &facts) != 0 {
                .failed(errno: errno)
            } else {
                facts.st_mode & S_IFMT == S_IFREG ? nil : .noFile
            }
        if let problem {
            close(descriptor)
            throw problem
        }
        self.descriptor = descriptor
        self.facts = facts
    }

    deinit { close(descriptor) }

    var owner: UInt32 { facts.st_uid }
    /// The nine permission bits.
    package var mode: UInt32 { UInt32(facts.st_mode) & 0o777 }

    /// Whether users other than this process's user, and root, may read it.
    package var isOpen: Bool { KeyFile.isOpen(mode: mode, owner: owner, reader: geteuid()) }

    /// All of the file.
    package func contents(bytesMax: Int) throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        // One byte more than permitted shows that the file is too long, also if it grows meanwhile.
        let room = bytesMax + 1
        var part = [UInt8](repeating: 0, count: min(room, 64 << 10))
        while bytes.count < room {
            let count = part.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress, min($0.count, room - bytes.count))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed(errno: errno) }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
        throw .tooLong(bytesMax: bytesMax)
    }

    /// The contents of a file that is opened for this.
    ///
    /// - Parameter isSecret: whether only this process's user, and root, may be able to read the
    ///   file.
    package static func contents(
        of path: String, bytesMax: Int, isSecret: Bool
    ) throws(Problem) -> [UInt8] {
        let file = try OpenedFile(path)
        if isSecret, file.isOpen { throw .open(mode: file.mode) }
        return try file.contents(bytesMax: bytesMax)
    }
}
