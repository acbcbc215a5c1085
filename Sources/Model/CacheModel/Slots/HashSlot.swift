/// One of the 16 384 parts of all keys, each of which has one owner.
///
/// The rule is that of the Redis Cluster specification, so that client libraries of Redis compute
/// the same: CRC16 (XMODEM) of the key's hash tag, modulo 16 384. The hash tag is what stands
/// between the first `{` and the next `}`, if that is not empty; else the whole key. The namespace
/// plays no part.
public struct HashSlot: Hashable, Comparable, Sendable {
    package static let count = 16_384
    @usableFromInline package static let first = HashSlot(unchecked: 0)

    /// 0 to 16 383.
    package let rawValue: UInt16

    private init(unchecked rawValue: UInt16) { self.rawValue = rawValue }

    /// - Returns: `nil` for 16 384 and above.
    package init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        rawValue = UInt16(number)
    }

    /// - Complexity: O(bytes of the key).
    @usableFromInline
    package init(of key: UnsafeRawBufferPointer) {
        rawValue = Self.checksum(Self.tag(of: key)) % UInt16(Self.count)
    }

    public static func < (left: HashSlot, right: HashSlot) -> Bool {
        left.rawValue < right.rawValue
    }

    private static func tag(of key: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        else { return key[...] }
        return key[(open + 1)..<close]
    }

    /// CRC16 with the polynomial 0x1021 and the start 0, a byte at a time.
    private static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt16 {
        bytes.reduce(0) { remainder, byte in
            remainder << 8 ^ remainders[Int(UInt8(remainder >> 8) ^ byte)]
        }
    }

    private static let remainders: [UInt16] = (UInt16(0)..<256).map { byte in
        (0..<8).reduce(byte << 8) { remainder, _ in
            remainder & 0x8000 == 0 ? remainder << 1 : remainder << 1 ^ 0x1021
        }
    }
}
