/// Parses the parts of a date from the front of a text, case-insensitively as RFC 9111, 4.2,
/// requires.
///
/// Text that does not match is not consumed, and every later call fails as well.
struct DateCursor {
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longWeekdays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    /// Years that a date with a two-digit year may lie ahead: RFC 9110, 5.6.7.
    private static let yearsAheadMax = 50

    private var rest: ArraySlice<UInt8>

    private init(_ text: FieldText) {
        rest = text.bytes
    }

    private var isAtEnd: Bool { rest.isEmpty }

    /// Consumes `word` if it is next.
    private mutating func take(_ word: String) -> Bool {
        let end = rest.startIndex + word.utf8.count
        guard end <= rest.endIndex, FieldText(exactly: rest[rest.startIndex..<end]).isWord(word)
        else { return false }
        rest = rest[end...]
        return true
    }

    /// Consumes one of `words` and returns its index, from 0.
    private mutating func takeOne(of words: [String]) -> Int? {
        words.firstIndex { take($0) }
    }

    /// Consumes the name of a month: 1 to 12.
    private mutating func takeMonth() -> Int? {
        takeOne(of: Self.months).map { $0 + 1 }
    }

    /// Consumes exactly `count` digits.
    private mutating func takeNumber(digits count: Int) -> Int? {
        let end = rest.startIndex + count
        guard end <= rest.endIndex,
            let number = FieldText(exactly: rest[rest.startIndex..<end]).wholeNumber
        else { return nil }
        rest = rest[end...]
        return Int(number)
    }

    /// Consumes `hh:mm:ss` and sets it.
    private mutating func takeTime(into time: inout CivilTime) -> Bool {
        guard let hour = takeNumber(digits: 2), take(":"), let minute = takeNumber(digits: 2),
            take(":"), let second = takeNumber(digits: 2)
        else { return false }
        time.hour = hour
        time.minute = minute
        time.second = second
        return true
    }
}

// MARK: The three forms

extension DateCursor {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    static func currentForm(_ text: FieldText) -> CivilTime? {
        var cursor = DateCursor(text)
        guard cursor.takeOne(of: weekdays) != nil, cursor.take(", "),
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
        guard cursor.takeOne(of: longWeekdays) != nil, cursor.take(", "),
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
        guard cursor.takeOne(of: weekdays) != nil, cursor.take(" "),
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
        let latest = (year + yearsAheadMax) / 100 * 100
        for century in stride(from: latest, through: 0, by: -100) {
            placed.year = century + time.year - yearsAheadMax
            if placed.secondsSince1970 <= reference.secondsSince1970 {
                placed.year = century + time.year
                return placed
            }
        }
        return nil
    }
}
