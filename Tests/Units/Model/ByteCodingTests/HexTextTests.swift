import ByteCoding
import Testing

@Suite struct HexTextTests {
    @Test func everyByteIsTwoDigitsInLowerCaseAndReadInEither() {
        for byte in UInt8.min ... .max {
            let text = HexText.text(of: [byte])
            #expect(text == String(UInt16(byte) | 0x100, radix: 16).dropFirst())
            #expect(HexText.bytes(of: text) == [byte])
            #expect(HexText.bytes(of: text.uppercased()) == [byte])
        }
        #expect(HexText.text(of: []).isEmpty)
        #expect(HexText.bytes(of: "") == [])
        #expect(HexText.text(of: [0, 1, 0xAB, 0xFF]) == "0001abff")
    }

    @Test func everyPairOfCharactersIsAByteOrNothing() {
        let digits = Set("0123456789abcdefABCDEF".unicodeScalars)
        for high in UInt8.min..<128 {
            for low in UInt8.min..<128 {
                let (first, second) = (UnicodeScalar(high), UnicodeScalar(low))
                var text = String(first)
                text.unicodeScalars.append(second)
                let isByte = digits.contains(first) && digits.contains(second)
                let value = isByte ? UInt8(text, radix: 16).map { [$0] } : nil
                #expect(HexText.bytes(of: text) == value, "\(high) \(low)")
            }
        }
    }

    @Test(arguments: ["0", "000", "0x", "é0", "٠٠", "００", "0 ", "+1", "a\u{301}"])
    func whatIsNotPairsOfDigitsIsNothing(text: String) {
        #expect(HexText.bytes(of: text) == nil)
    }
}
