#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
        while bytes.count < bytesMax {
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: bytesAtOnce))
            let count = bytes.withUnsafeMutableBytes { buffer in
                readBytes(descriptor, into: buffer, from: start)
            }
            guard count >= 0 else { return nil }
            bytes.removeLast(bytesAtOnce - count)
            if count == 0 { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func readBytes(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, from start: Int
    ) -> Int {
        let free = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        #if canImport(Darwin)
            return Darwin.read(descriptor, free.baseAddress, free.count)
        #elseif canImport(Musl)
            return Musl.read(descriptor, free.baseAddress, free.count)
        #else
            return Glibc.read(descriptor, free.baseAddress, free.count)
        #endif
    }
}
