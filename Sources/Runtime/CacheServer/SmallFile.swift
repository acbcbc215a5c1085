import LibC

/// Files that a kernel writes when they are read: short, and without a size of their own.
enum SmallFile {
    private static let bytesMax = 1 << 20
    private static let bytesAtOnce = 8 << 10

    /// All of it, but for what lies behind 1 MiB; `nil` if it cannot be opened or read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: bytesAtOnce)
        while bytes.count < bytesMax {
            let count = chunk.withUnsafeMutableBytes {
                LibC.read(descriptor, $0.baseAddress, $0.count)
            }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
