import CacheModel
import CacheVerification
import Testing

@Suite struct VerifiedValueTests {
    static let value = VerifiedValue(
        key: 0xDEAD_BEEF, version: Version(0xFF_1234_5678), run: RunStamp(0xABCDEF))

    static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: count)
        bytes.withUnsafeMutableBytes { value.write(into: $0) }
        return bytes
    }

    static func decode(_ bytes: some Collection<UInt8>) -> VerifiedValue? {
        Array(bytes).withUnsafeBytes { VerifiedValue(decoding: $0) }
    }

    @Test(arguments: Array(16...64) + [4_096, 65_536])
    func aValueOfAnySizeIsReadAsItWasWritten(count: Int) {
        #expect(Self.decode(Self.bytes(count)) == Self.value)
    }

    @Test func theGreatestAndTheLeastAreReadAsTheyWereWritten() {
        for value in [
            VerifiedValue(key: 0, version: .none, run: RunStamp(0)),
            VerifiedValue(
                key: Int(UInt32.max), version: VerifiedValue.versionMax, run: RunStamp(.max)),
        ] {
            var bytes = [UInt8](repeating: 0, count: 16)
            bytes.withUnsafeMutableBytes { value.write(into: $0) }
            #expect(Self.decode(bytes) == value)
        }
    }

    /// Every single bit of a whole value.
    @Test func noBitCanTurnUnseen() {
        let whole = Self.bytes(41)
        for bit in 0..<(whole.count * 8) {
            var bytes = whole
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.decode(bytes) == nil, "bit \(bit)")
        }
    }

    @Test func noPartOfAValueIsAValue() {
        let whole = Self.bytes(41)
        for count in 0..<whole.count { #expect(Self.decode(whole.prefix(count)) == nil) }
        #expect(Self.decode(whole + [0]) == nil)
    }

    @Test func halfOfOneAndHalfOfAnotherIsNone() {
        var other = [UInt8](repeating: 0, count: 64)
        other.withUnsafeMutableBytes {
            VerifiedValue(key: 1, version: Version(2), run: RunStamp(3)).write(into: $0)
        }
        let mixed = Self.bytes(64).prefix(32) + other.suffix(32)
        #expect(Self.decode(mixed) == nil)
    }

    @Test func readingNeedsNoAlignment() {
        let shifted = [0] + Self.bytes(33)
        let value = shifted.withUnsafeBytes {
            VerifiedValue(decoding: UnsafeRawBufferPointer(rebasing: $0[1...]))
        }
        #expect(value == Self.value)
    }
}
