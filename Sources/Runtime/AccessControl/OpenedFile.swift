#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that is opened first, then checked, and read from the same descriptor: so the checked
/// file is the one that is read, whatever its path names meanwhile. A pipe without a writer does
/// not block.
///
/// Links are followed: container platforms provide keys and lists as links.
package struct OpenedFile: ~Copyable {
    /// The errno of the failure.
    package struct Failure: Error {
        package let number: CInt
        package var reason: String { String(cString: strerror(number)) }
    }

    private let descriptor: CInt
    private let facts: stat

    package init(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            let failure = Failure(number: errno)
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        self.facts = facts
    }

    deinit { close(descriptor) }

    /// Whether it is a regular file: one that has an end.
    package var isOrdinary: Bool { facts.st_mode & S_IFMT == S_IFREG }
    var owner: UInt32 { facts.st_uid }
    /// The nine permission bits.
    package var mode: UInt32 { UInt32(facts.st_mode) & 0o777 }

    /// Whether users other than this process's user, and root, may read it.
    package var isOpen: Bool { KeyFile.isOpen(mode: mode, owner: owner, reader: geteuid()) }

    /// The contents of the file.
    ///
    /// - Returns: `nil` if it is longer than `bytesMax`.
    package func contents(bytesMax: Int) throws(Failure) -> [UInt8]? {
        var bytes: [UInt8] = []
        // One byte more than permitted shows that the file is too long, also if it grows meanwhile.
        let room = bytesMax + 1
        var part = [UInt8](repeating: 0, count: min(room, 64 << 10))
        while bytes.count < room {
            let count = part.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress, min($0.count, room - bytes.count))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(number: errno) }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
        return nil
    }
}
