import CommandSurface
import Foundation
import Testing

@testable import martlet

@Suite struct StartTextTests {
    /// The moment of a time of day on this machine, as Foundation knows it.
    private func moment(_ hour: Int, _ minute: Int, _ second: Int, of day: Date) throws -> UInt64 {
        let date = Calendar.current.date(
            bySettingHour: hour, minute: minute, second: second, of: day)
        return UInt64(try #require(date).timeIntervalSince1970) * 1_000
    }

    @Test func aTimeOfDayIsThatOfThisMachinesTimeZone() throws {
        let noon = try moment(12, 0, 0, of: Date())
        let start = StartText.clock(hour: 23, minute: 59, second: 58)
        let expected = try moment(23, 59, 58, of: Date(timeIntervalSince1970: Double(noon) / 1_000))
        #expect(try start.moment(now: noon) == expected)
        let next = StartText.clock(hour: 12, minute: 0, second: 1)
        #expect(try next.moment(now: noon) == noon + 1_000)
    }

    @Test func aPastStartTimeIsRefusedWithItsAge() throws {
        let noon = try moment(12, 0, 0, of: Date())
        #expect {
            try StartText.clock(hour: 11, minute: 59, second: 50).moment(now: noon)
        } throws: { error in
            (error as? CommandFailure)?.sentence.contains("10s ago by this machine's clock") == true
        }
    }

    @Test func aTimeFromNowIsAddedToNow() throws {
        #expect(try StartText.parse("+10s").moment(now: 5_000) == 15_000)
    }
}
