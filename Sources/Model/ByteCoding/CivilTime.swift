/// A date and time of the Gregorian calendar, in UTC.
package struct CivilTime: Hashable, Sendable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to 31.
    package var day: Int
    package var hour: Int
    package var minute: Int
    /// 60 in a leap second.
    package var second: Int

    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// The moment this many seconds after the beginning of 1970: the inverse of
    /// ``secondsSince1970``, after the same work.
    ///
    /// - Parameter seconds: of the years 1970 to 9999; before that it is 1970.
    package init(secondsSince1970 seconds: Int) {
        let known = max(0, seconds)
        let shifted = known / 86_400 + 719_468
        let cycle = shifted / 146_097
        let dayOfCycle = shifted % 146_097
        let leapDays = dayOfCycle / 1_460 - dayOfCycle / 36_524 + dayOfCycle / 146_096
        let yearOfCycle = (dayOfCycle - leapDays) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
        (hour, minute, second) = (known / 3_600 % 24, known / 60 % 60, known % 60)
    }

    /// Whether this date and time exist. A leap second is the last second of a day.
    package var exists: Bool {
        guard (1...12).contains(month), (1...daysInMonth).contains(day) else { return false }
        let isLeapSecond = hour == 23 && minute == 59 && second == 60
        return (0...23).contains(hour) && (0...59).contains(minute)
            && ((0...59).contains(second) || isLeapSecond)
    }

    private var daysInMonth: Int {
        switch month {
        case 2: isLeapYear ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private var isLeapYear: Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    /// Days since 1 January 1970, for years from 0 on, after [1]: a year begins with March, so that
    /// the leap day is its last, and 400 years always have the same number of days.
    ///
    /// [1] Howard Hinnant, chrono-compatible low-level date algorithms, `days_from_civil`.
    package var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let cycle = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfCycle = yearFromMarch - cycle * 400
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * 146_097 + dayOfCycle - 719_468
    }

    /// Seconds since the beginning of 1970. A leap second counts as the one before it, because an
    /// end must not be taken for later than it is.
    package var secondsSince1970: Int {
        daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + min(second, 59)
    }
}
