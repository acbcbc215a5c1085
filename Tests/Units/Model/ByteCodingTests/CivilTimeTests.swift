import Foundation
import Testing

@testable import ByteCoding

@Suite struct CivilTimeTests {
    private func day(_ year: Int, _ month: Int, _ day: Int) -> CivilTime {
        CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
    }

    /// Counts one day after the other, by the rule of the calendar alone.
    @Test func consecutiveCivilDaysHaveConsecutiveDayNumbers() {
        var count = day(0, 1, 1).daysSince1970
        for year in 0...9_999 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (index, length) in lengths.enumerated() {
                for number in 1...length {
                    let time = day(year, index + 1, number)
                    guard time.exists, time.daysSince1970 == count else {
                        Issue.record("\(time) is day \(time.daysSince1970), not \(count)")
                        return
                    }
                    count += 1
                }
                #expect(!day(year, index + 1, length + 1).exists)
                #expect(!day(year, index + 1, 0).exists)
            }
        }
        #expect(day(1970, 1, 1).daysSince1970 == 0)
        #expect(day(1969, 12, 31).daysSince1970 == -1)
        #expect(day(2000, 3, 1).daysSince1970 == 11_017)
    }

    @Test func theSystemsCalendarSaysTheSame() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for year in stride(from: 1_900, through: 2_400, by: 7) {
            for month in 1...12 {
                let parts = DateComponents(
                    year: year, month: month, day: 28, hour: 13, minute: 57, second: month)
                let date = try #require(calendar.date(from: parts))
                let time = CivilTime(
                    year: year, month: month, day: 28, hour: 13, minute: 57, second: month)
                #expect(time.secondsSince1970 == Int(date.timeIntervalSince1970))
            }
        }
    }

    @Test func aTimeOfDayExistsWithinItsBounds() {
        for hour in -1...25 {
            for minute in -1...61 {
                for second in -1...62 {
                    let time = CivilTime(
                        year: 2_027, month: 1, day: 31, hour: hour, minute: minute, second: second)
                    let isUsual =
                        (0..<24).contains(hour) && (0..<60).contains(minute)
                        && (0..<60).contains(second)
                    let isLeap = (hour, minute, second) == (23, 59, 60)
                    #expect(time.exists == (isUsual || isLeap))
                }
            }
        }
        #expect(!day(2_027, 0, 1).exists && !day(2_027, 13, 1).exists)
    }

    @Test func aLeapSecondIsNotLaterThanItsDay() {
        let leap = CivilTime(year: 2_016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
        #expect(leap.secondsSince1970 == day(2_017, 1, 1).secondsSince1970 - 1)
    }
}
