import Testing

@testable import CacheDisk

@Suite struct LengthClassTests {
    private static let all = (1...63).compactMap { LengthClass(rawValue: UInt8($0)) }

    /// Golden: the numbers lie on disks.
    @Test(arguments: [
        (1, 16), (2, 24), (3, 40), (7, 152), (14, 944), (20, 4_104), (38, 319_576),
        (56, 24_736_104),
        (63, 134_226_096),
    ])
    func aClassKeepsItsLength(number: UInt8, bytes: Int) {
        #expect(LengthClass(rawValue: number)?.bytesMax == bytes)
        #expect(LengthClass(bytes: min(bytes, LengthClass.recordBytesMax)).rawValue == number)
    }

    /// The law that the table follows, so that every number of it is golden.
    @Test func eachLengthIsOneShareAboveTheShortestOfItsClass() {
        var expected = [16]
        while expected.count < 63 {
            let shortest = expected[expected.count - 1] + 8
            expected.append(max(shortest, Int(Double(shortest) * 1.27329585186) / 8 * 8))
        }
        #expect(Self.all.map(\.bytesMax) == expected)
    }

    @Test func theSmallestFittingLengthClassCoversEverySizeToOneMebibyte() {
        var bytes = 1
        var lengthClass = LengthClass.least
        while bytes <= 1 << 20 {
            let next = LengthClass(bytes: bytes)
            // Compared by hand: an expectation for each size would take a minute.
            if next != lengthClass {
                #expect(bytes == lengthClass.bytesMax + 1)
                #expect(next.rawValue == lengthClass.rawValue + 1)
                lengthClass = next
            }
            if next.bytesMax < bytes { Issue.record("\(bytes) bytes are not covered") }
            bytes += 1
        }
        #expect(lengthClass.bytesMax >= 1 << 20)
    }

    @Test func sizesAboveAreCoveredToo() {
        var last = LengthClass(bytes: 1 << 20)
        for bytes in stride(from: 1 << 20, through: LengthClass.recordBytesMax, by: 997) {
            let next = LengthClass(bytes: bytes)
            if next < last || next.bytesMax < bytes { Issue.record("\(bytes) bytes") }
            last = next
        }
        #expect(last == .greatest)
        for (low, high) in zip(Self.all, Self.all.dropFirst()) {
            #expect(LengthClass(bytes: low.bytesMax) == low)
            #expect(
                low.bytesMax >= LengthClass.recordBytesMax
                    || LengthClass(bytes: low.bytesMax + 1) == high)
        }
    }

    @Test func littleIsReadInVain() {
        var excess = 0.0
        var (count, bytes) = (0.0, 64.0)
        while bytes < Double(128 << 20) {
            let record = (Int(bytes) + 7) / 8 * 8
            let share = Double(LengthClass(bytes: record).bytesMax) / Double(record) - 1
            if share > 0.274 { Issue.record("\(record) bytes: \(share) in vain") }
            (excess, count, bytes) = (excess + share, count + 1, bytes * 1.001)
        }
        #expect(excess / count < 0.135)
    }

    @Test func otherNumbersAreNoClasses() {
        #expect(LengthClass(rawValue: 0) == nil)
        #expect(LengthClass(rawValue: 64) == nil)
        #expect(LengthClass(rawValue: 255) == nil)
    }

    @Test func everyLengthIsAMultipleOfEight() {
        #expect(Self.all.allSatisfy { $0.bytesMax % 8 == 0 })
        #expect(Self.all.last?.bytesMax ?? 0 >= LengthClass.recordBytesMax)
    }

    @Test func aLengthThatNoRecordHasIsRefused() async {
        await #expect(processExitsWith: .failure) { _ = LengthClass(bytes: 0) }
        await #expect(processExitsWith: .failure) {
            _ = LengthClass(bytes: LengthClass.recordBytesMax + 1)
        }
    }
}
