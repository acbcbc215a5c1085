import Foundation

/// A file that is opened first, then looked at, and read from there: so what was looked at is what
/// is read, whatever its path names meanwhile. A pipe that nobody writes holds nobody up.
///
/// Links are followed: container platforms hand keys and lists over as links.
struct OpenedFile: ~Copyable {
    /// The system's number of what went wrong.
    struct Failure: Error {
        let number: CInt
        var reason: String { String(cString: strerror(number)) }
    }

    private let descriptor: CInt
    private let facts: stat

    init(_ path: String) throws(Failure) {
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

    /// Whether it is a file: nothing that has no end.
    var isOrdinary: Bool { facts.st_mode & S_IFMT == S_IFREG }
    /// All bits of it.
    var mode: UInt32 { UInt32(facts.st_mode) }
    var owner: UInt32 { facts.st_uid }

    /// What is in it.
    ///
    /// - Returns: `nil` if it is longer than `bytesMax`.
    func contents(bytesMax: Int) throws(Failure) -> [UInt8]? {
        var bytes: [UInt8] = []
        // One byte more than may be tells that there is too much, also where it grows meanwhile.
        let room = bytesMax + 1
        var part = [UInt8](repeating: 0, count: min(room, 64 << 10))
        while bytes.count < room {
            let count = part.withUnsafeMutableBytes {
                Foundation.read(descriptor, $0.baseAddress, min($0.count, room - bytes.count))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(number: errno) }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
        return nil
    }
}
