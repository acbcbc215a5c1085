import SystemPackage

/// What a file begins with, for files that have a greatest length: so nothing without an end, such
/// as `/dev/zero`, is read for ever.
enum FileBytes {
    private static let bytesAtATime = 64 << 10

    /// The first `count` bytes of the file at `path`; fewer if it has no more.
    ///
    /// - Throws: `Errno`. A pipe is waited for.
    static func first(_ count: Int, of path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: min(count, bytesAtATime))
            while bytes.count < count {
                let taken = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                if taken == 0 { break }
                bytes += buffer[..<min(taken, count - bytes.count)]
            }
            return bytes
        }
    }
}
