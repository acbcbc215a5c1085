import ByteCoding
import Testing

@Suite struct PublicKeyTests {
    private static let bytes = (0..<32).map { UInt8($0 * 8 + 1) }
    private static let text =
        "01091119" + "21293139" + "41495159" + "61697179"
        + "81899199" + "a1a9b1b9" + "c1c9d1d9" + "e1e9f1f9"

    @Test func aKeyIs32BytesOr64Digits() throws {
        let key = try #require(PublicKey(bytes: Self.bytes))
        #expect(key.bytes == Self.bytes)
        #expect(key.description == Self.text)
        #expect(PublicKey(Self.text) == key)
        #expect(PublicKey(Self.text.uppercased()) == key)
        #expect(PublicKey(Self.text.uppercased())?.description == Self.text)
        #expect(key.fingerprint == "0109111921293139")
    }

    @Test func anyOtherLengthIsNone() {
        for count in 0...70 where count != 32 {
            #expect(PublicKey(bytes: [UInt8](repeating: 7, count: count)) == nil)
        }
        for count in 0...140 where count != 64 {
            #expect(PublicKey(String(repeating: "7", count: count)) == nil)
        }
        #expect(PublicKey(String(Self.text.dropLast()) + "g") == nil)
        #expect(PublicKey(" " + String(Self.text.dropLast())) == nil)
    }

    @Test func aKeyThatDiffersInOneByteIsAnother() throws {
        let key = try #require(PublicKey(bytes: Self.bytes))
        for index in Self.bytes.indices {
            var other = Self.bytes
            other[index] ^= 0x80
            #expect(PublicKey(bytes: other) != key)
        }
        #expect(Set([key, key, try #require(PublicKey(Self.text))]).count == 1)
    }
}
