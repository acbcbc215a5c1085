import CacheModel

extension HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    static func currentForm(_ text: FieldText) -> CivilTime? {
        var cursor = DateCursor(text)
        guard cursor.takeOne(of: DateCursor.weekdays) != nil, cursor.take(", "),
            let day = cursor.takeNumber(digits: 2), cursor.take(" "),
            let month = cursor.takeMonth(), cursor.take(" "),
            let year = cursor.takeNumber(digits: 4), cursor.take(" ")
        else { return nil }
        var time = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
        guard cursor.takeTime(into: &time), cursor.take(" GMT"), cursor.isAtEnd else { return nil }
        return time
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    static func oldForm(_ text: FieldText, near reference: HTTPDate?) -> CivilTime? {
        var cursor = DateCursor(text)
        guard cursor.takeOne(of: DateCursor.longWeekdays) != nil, cursor.take(", "),
            let day = cursor.takeNumber(digits: 2), cursor.take("-"),
            let month = cursor.takeMonth(), cursor.take("-"),
            let year = cursor.takeNumber(digits: 2), cursor.take(" ")
        else { return nil }
        var time = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
        guard cursor.takeTime(into: &time), cursor.take(" GMT"), cursor.isAtEnd else { return nil }
        return inCentury(time, near: reference)
    }

    /// `Sun Nov  6 08:49:37 1994`
    static func timeForm(_ text: FieldText) -> CivilTime? {
        var cursor = DateCursor(text)
        guard cursor.takeOne(of: DateCursor.weekdays) != nil, cursor.take(" "),
            let month = cursor.takeMonth(), cursor.take(" ")
        else { return nil }
        let isPadded = cursor.take(" ")
        guard let day = cursor.takeNumber(digits: isPadded ? 1 : 2), cursor.take(" ") else {
            return nil
        }
        var time = CivilTime(year: 0, month: month, day: day, hour: 0, minute: 0, second: 0)
        guard cursor.takeTime(into: &time), cursor.take(" "),
            let year = cursor.takeNumber(digits: 4), cursor.isAtEnd
        else { return nil }
        time.year = year
        return time
    }

    /// `time`, which has a two-digit year, in the latest century in which it is at most fifty years
    /// after `reference`; `nil` if there is none.
    private static func inCentury(_ time: CivilTime, near reference: HTTPDate?) -> CivilTime? {
        var placed = time
        guard let reference else {
            placed.year += 2_000
            return placed
        }
        // Rounded up, so that no later century is possible. This is the average length of a year.
        let year = 1_970 + reference.secondsSince1970 / 31_556_952 + 1
        let latest = (year + AnswerLimits.yearsAheadMax) / 100 * 100
        for century in stride(from: latest, through: 0, by: -100) {
            placed.year = century + time.year - AnswerLimits.yearsAheadMax
            if placed.secondsSince1970 <= reference.secondsSince1970 {
                placed.year = century + time.year
                return placed
            }
        }
        return nil
    }
}
