import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// What a measurement asks of the system about its file.
enum DiskFileBytes {
    /// Makes the next reads go to the disk: everything is synchronized, and leaves the page cache
    /// as far as nobody has it mapped.
    static func leavePageCache(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw GaveUp("\(path) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw GaveUp("\(path): no fsync") }
        #if os(Linux)
            guard posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
                throw GaveUp("\(path) does not leave the page cache")
            }
        #endif
    }

    /// Bytes that this process has had fetched from disks; `nil` where the system does not tell.
    static var fetched: Int? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/io") else { return nil }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "read_bytes:" { return words.last.flatMap { Int($0) } }
        }
        return nil
    }
}
