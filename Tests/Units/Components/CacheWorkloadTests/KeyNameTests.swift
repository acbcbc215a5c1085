import CacheWorkload
import Testing

@Suite struct KeyNameTests {
    private static func verified(_ number: Int, _ stamp: UInt32, bytes: Int = 16) -> String {
        var room = [UInt8](repeating: 0, count: bytes)
        room.withUnsafeMutableBytes { KeyName.write(number, ofRun: stamp, into: $0) }
        return String(decoding: room, as: UTF8.self)
    }

    @Test func aVerifiedRunsKeyCarriesItsStamp() {
        #expect(Self.verified(42, 0x0ABCDE) == "v0abcde000000042")
        #expect(Self.verified(999_999_999, 0xFFFFFF) == "vffffff999999999")
        #expect(Self.verified(7, 1, bytes: 20) == "v0000010000000000007")
    }

    /// Two runs side by side, or one after the other, never ask for each other's values.
    @Test func noTwoVerifiedRunsShareAKey() {
        var names: Set<String> = []
        for stamp in [0, 1, 0x10, 0xFFFFFF] as [UInt32] {
            for number in [0, 1, 16, 999_999_999] { names.insert(Self.verified(number, stamp)) }
        }
        #expect(names.count == 16)
    }

    private static func name(_ number: Int, bytes: Int = 16) -> String {
        var buffer = [UInt8](repeating: 0xFF, count: bytes)
        buffer.withUnsafeMutableBytes { KeyName.write(number, into: $0) }
        return String(decoding: buffer, as: UTF8.self)
    }

    private static func number(_ name: String) -> Int? {
        Array(name.utf8).withUnsafeBytes { KeyName.number(of: $0) }
    }

    @Test func aKeyIsALetterAndItsNumber() {
        #expect(Self.name(0) == "k000000000000000")
        #expect(Self.name(42) == "k000000000000042")
        #expect(Self.name(KeyName.numberMax) == "k999999999999999")
        #expect(Self.name(42, bytes: 28) == "k000000000000000000000000042")
    }

    @Test func everyNumberHasTheDigitsPeopleWrite() {
        var random = WorkloadRandom(seed: 1)
        let edges = (0...14).flatMap { power -> [Int] in
            let ten = (0..<power).reduce(1) { product, _ in product * 10 }
            return [ten - 1, ten, ten + 1]
        }
        let others = (0..<20_000).map { _ in random.below(KeyName.numberMax) >> random.below(50) }
        for number in edges + others + Array(0...20_000) {
            let digits = String(number)
            let name = "k" + String(repeating: "0", count: 15 - digits.count) + digits
            #expect(Self.name(number) == name)
            #expect(Self.number(name) == number)
        }
    }

    @Test(arguments: [16, 17, 23, 24, 64, 4_096])
    func keysOfEveryLengthTellTheirNumber(bytes: Int) {
        for number in [0, 7, 123_456_789, KeyName.numberMax] {
            let name = Self.name(number, bytes: bytes)
            #expect(name.utf8.count == bytes)
            #expect(Self.number(name) == number)
        }
    }

    @Test(arguments: [
        "", "k00000000000042", "x000000000000042", "k00000000000004x", "k1000000000000000",
        "k00000000000 042", "-000000000000042",
    ])
    func otherKeysHaveNoNumber(name: String) {
        #expect(Self.number(name) == nil)
    }

    @Test func aKeyWithoutRoomIsAMistakeOfTheCaller() async {
        await #expect(processExitsWith: .failure) {
            var buffer = [UInt8](repeating: 0, count: 15)
            buffer.withUnsafeMutableBytes { KeyName.write(1, into: $0) }
        }
    }
}
