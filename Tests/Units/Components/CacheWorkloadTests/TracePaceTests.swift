import CacheModel
import CacheWorkload
import Testing

@Suite struct TracePaceTests {
    private static let start = Instant(nanoseconds: 1_000)

    private static func dues(_ times: [Int64], speed: Double) -> [UInt64] {
        var pace = TracePace(speed: speed, start: start)
        return times.map { pace.due(recordedAt: $0).nanoseconds }
    }

    @Test func recordedTimesAreKept() {
        #expect(Self.dues([700, 700, 900, 5_700], speed: 1) == [1_000, 1_000, 1_200, 6_000])
    }

    @Test func timeRunsFasterOrSlower() {
        #expect(Self.dues([0, 100, 1_000], speed: 10) == [1_000, 1_010, 1_100])
        #expect(Self.dues([0, 100, 1_000], speed: 0.5) == [1_000, 1_200, 3_000])
    }

    @Test func whatGoesBackGoesOnAtOnce() {
        #expect(
            Self.dues([500, 800, 100, 600, 900], speed: 1) == [1_000, 1_300, 1_300, 1_300, 1_400])
    }

    @Test func timesThatCannotBeCountedHoldNothingUp() {
        #expect(Self.dues([.min, .max, .max], speed: 1) == [1_000, 1_000, 1_000])
        #expect(Self.dues([0, .max], speed: 0.001) == [1_000, 1_000])
    }

    @Test func aYearDoesNotDrift() {
        let day: Int64 = 86_400_000_000_000
        let dues = Self.dues([0] + (1...365).map { $0 * day }, speed: 1)
        #expect(dues.last == 1_000 + 365 * UInt64(day))
    }
}
