import Foundation
import TestSupport

/// A file whose writes are synchronized one by one, in room that was reserved for them.
final class SynchronizedFile {
    private let descriptor: CInt
    private var usedBytes = 0

    init(_ url: URL, reserving bytes: Int) throws {
        descriptor = open(url.path, O_CREAT | O_RDWR, 0o600)
        guard descriptor >= 0 else { throw GaveUp("no file: \(errno)") }
        let code = posix_fallocate(descriptor, 0, bytes)
        guard code == 0 else { throw GaveUp("no room: \(code)") }
    }

    deinit { close(descriptor) }

    /// Appends, and waits until that is on the disk.
    func append(_ bytes: [UInt8]) throws {
        var written = 0
        try bytes.withUnsafeBytes { bytes in
            while written < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written,
                    usedBytes + written)
                guard count > 0 else { throw GaveUp("not written: \(errno)") }
                written += count
            }
        }
        usedBytes += written
        guard fdatasync(descriptor) == 0 else { throw GaveUp("not synchronized: \(errno)") }
    }
}
