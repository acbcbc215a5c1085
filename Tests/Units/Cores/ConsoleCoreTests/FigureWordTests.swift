import CacheModel
import Testing

@testable import ConsoleCore

@Suite struct FigureWordTests {
    @Test func figuresTakeFewColumns() {
        #expect(
            [0, 99_999, 123_456, 1_234_567].map { FigureWord.count($0) } == [
                "0", "99999", "123k", "1.2M",
            ])
        #expect(
            [0, 0.01, 4.24, 870.4, 12_345, 999_600].map { FigureWord.rate($0) } == [
                "0", "<0.1", "4.2", "870", "12.3k", "1M",
            ])
        #expect(
            [812, 12_600, 268_435_456].map { FigureWord.size($0) } == [
                "812B", "12.3KiB", "256MiB",
            ])
        #expect(FigureWord.share(0.973) == "97.3%")
    }

    @Test func noFigureIsWiderThanItsColumn() {
        for power in 0..<64 {
            let value = UInt64(1) << power
            for near in [value &- 1, value, value &+ 1] {
                #expect(FigureWord.count(near).count <= 5, "\(near)")
                #expect(FigureWord.rate(Double(near)).count <= 5, "\(near)")
                #expect(FigureWord.size(near).count <= 7, "\(near)")
            }
        }
    }

    @Test(arguments: [
        (340, "340ms", "0s"), (2_940, "2.9s", "2s"), (12_300, "12s", "12s"),
        (250_000, "4m10s", "4m10s"), (12_000_000, "3h20m", "3h20m"),
        (446_400_000, "5d4h", "5d4h"),
    ])
    func timesAreShort(milliseconds: Int, time: String, age: String) {
        #expect(FigureWord.time(.milliseconds(milliseconds)) == time)
        #expect(FigureWord.age(.milliseconds(milliseconds)) == age)
    }
}
