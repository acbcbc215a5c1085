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
            let count = chunk.withUnsafeMutableBytes { readBytes(descriptor, into: $0) }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func readBytes(
        _ descriptor: Int32, into free: UnsafeMutableRawBufferPointer
    ) -> Int {
        #if canImport(Darwin)
            return Darwin.read(descriptor, free.baseAddress, free.count)
        #elseif canImport(Musl)
            return Musl.read(descriptor, free.baseAddress, free.count)
        #else
            return Glibc.read(descriptor, free.baseAddress, free.count)
        #endif
    }
}
