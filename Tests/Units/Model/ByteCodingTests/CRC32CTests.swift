import ByteCoding
import Testing

@Suite struct CRC32CTests {
    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { CRC32C.checksum($0) }
    }

    /// A bit at a time, as the definition says.
    private func slow(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82F6_3B78 }
        }
        return ~crc
    }

    @Test func theKnownValuesComeOut() {
        #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(checksum([]) == 0)
        // RFC 3720, B.4
        #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(checksum(Array(0..<32)) == 0x46DD_794E)
        #expect(checksum(Array((0..<32).reversed())) == 0x113F_DB5C)
    }

    @Test func everyLengthAndPlaceAgreesWithTheDefinition() {
        let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        for start in 0..<9 {
            for end in start...bytes.count {
                let part = Array(bytes[start..<end])
                bytes.withUnsafeBytes {
                    let place = UnsafeRawBufferPointer(rebasing: $0[start..<end])
                    #expect(CRC32C.checksum(place) == slow(part))
                    #expect(CRC32C.byTables(place) == slow(part))
                }
            }
        }
    }
}
