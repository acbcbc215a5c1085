import CChecksum

/// CRC-32C, the checksum of what lies on disk: it finds every burst of up to 32 wrong bits, and
/// anything else but one in four thousand million.
///
/// The Castagnoli polynomial [1], reflected, begun and ended with all ones, as in iSCSI and ext4;
/// the check value of `123456789` is `E3069283`. By the processor's instruction; where it has none,
/// eight bytes a step through eight tables.
///
/// - Complexity: O(bytes): nearly ten gigabytes in a second, by tables two.
///
/// [1] Castagnoli, Bräuer, Herrmann: Optimization of cyclic redundancy-check codes, 1993.
package enum CRC32C {
    private static let polynomial: UInt32 = 0x82F6_3B78

    /// Eight tables of 256: table *k* is one byte followed by *k* zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = tables[Int(shorter & 0xFF)] ^ shorter >> 8
        }
        return tables
    }()

    private static let hasInstruction = checksum_has_instruction()

    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard hasInstruction, let start = bytes.baseAddress else { return byTables(bytes) }
        return ~checksum_extend(.max, start, bytes.count)
    }

    /// The same on any processor.
    package static func byTables(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc = UInt32.max
            var offset = 0
            while bytes.count &- offset >= 8 {
                let word = StableHash.word(bytes, offset) ^ UInt64(crc)
                crc = step(tables, word)
                offset &+= 8
            }
            while offset < bytes.count {
                crc = tables[Int((crc ^ UInt32(bytes[offset])) & 0xFF)] ^ crc >> 8
                offset &+= 1
            }
            return ~crc
        }
    }

    private static func step(_ tables: UnsafeBufferPointer<UInt32>, _ word: UInt64) -> UInt32 {
        var crc: UInt32 = 0
        for index in 0..<8 {
            let byte = Int(truncatingIfNeeded: word &>> UInt64(8 &* index)) & 0xFF
            crc ^= tables[(7 &- index) &* 256 &+ byte]
        }
        return crc
    }
}
