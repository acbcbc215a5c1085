import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One file of an audit log, open for reading; closed with its last reference.
final class AuditFileReader: Sendable {
    /// What tells it from every other file, whatever it is called meanwhile.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    let identity: Identity
    private let file: FileDescriptor

    /// - Throws: `Errno` if it cannot be opened.
    init(_ path: String) throws(Errno) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        file = FileDescriptor(rawValue: descriptor)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            let failure = Errno(rawValue: errno)
            file.closeQuietly()
            throw failure
        }
        identity = Identity(
            device: UInt64(truncatingIfNeeded: facts.st_dev), number: UInt64(facts.st_ino))
    }

    deinit { file.closeQuietly() }

    /// Appends at most `count` bytes that follow what was read.
    ///
    /// - Returns: `false` at the end of the file.
    /// - Throws: `Errno`.
    func read(_ count: Int, into bytes: inout [UInt8]) throws -> Bool {
        let part = try [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
            taken = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        bytes += part
        return !part.isEmpty
    }
}
