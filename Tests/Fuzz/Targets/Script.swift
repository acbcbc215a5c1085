/// An input that tells what happens, one number after the other. It never ends too early: behind
/// its last byte there are zeros.
struct Script {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number below `bound`, which is at most 256.
    mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

    mutating func isOdd() -> Bool { byte() & 1 == 1 }

    mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

    mutating func number() -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(byte()) << (8 * UInt64($1)) }
    }

    /// A number as people who look for trouble choose it: small, near an end, or anything.
    mutating func wild() -> UInt64 {
        switch byte() {
        case let small where small < 64: UInt64(small)
        case let near where near < 96: .max - UInt64(near - 64)
        case let bit where bit < 160: 1 << UInt64(bit - 96)
        case let below where below < 192: 1 << UInt64(below - 128) - 1
        case let short where short < 224: UInt64(word())
        default: number()
        }
    }

    /// The next bytes: as many as there are, at most `count`.
    mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        let end = min(bytes.count, offset + count)
        defer { offset = end }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
    }

    /// Bytes behind one or two of length.
    mutating func run() -> [UInt8] {
        let length = byte()
        return [UInt8](take(length < 255 ? Int(length) : Int(word())))
    }

    mutating func rest() -> UnsafeRawBufferPointer { take(bytes.count - offset) }

    /// The rest in a place of its own, so that the sanitizer sees what reads past its end.
    mutating func restCopied() -> [UInt8] { [UInt8](rest()) }
}
