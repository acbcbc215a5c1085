import CacheModel

/// Parses the parts of a date from the front of a text, case-insensitively as RFC 9111, 4.2,
/// requires.
///
/// Text that does not match is not consumed, and every later call fails as well.
struct DateCursor {
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    static let longWeekdays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    private var rest: ArraySlice<UInt8>

    init(_ text: FieldText) {
        rest = text.bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Consumes `word` if it is next.
    mutating func take(_ word: String) -> Bool {
        let end = rest.startIndex + word.utf8.count
        guard end <= rest.endIndex, FieldText(exactly: rest[rest.startIndex..<end]).isWord(word)
        else { return false }
        rest = rest[end...]
        return true
    }

    /// Consumes one of `words` and returns its index, from 0.
    mutating func takeOne(of words: [String]) -> Int? {
        words.firstIndex { take($0) }
    }

    /// Consumes the name of a month: 1 to 12.
    mutating func takeMonth() -> Int? {
        takeOne(of: Self.months).map { $0 + 1 }
    }

    /// Consumes exactly `count` digits.
    mutating func takeNumber(digits count: Int) -> Int? {
        let end = rest.startIndex + count
        guard end <= rest.endIndex,
            let number = FieldText(exactly: rest[rest.startIndex..<end]).wholeNumber
        else { return nil }
        rest = rest[end...]
        return Int(number)
    }

    /// Consumes `hh:mm:ss` and sets it.
    mutating func takeTime(into time: inout CivilTime) -> Bool {
        guard let hour = takeNumber(digits: 2), take(":"), let minute = takeNumber(digits: 2),
            take(":"), let second = takeNumber(digits: 2)
        else { return false }
        time.hour = hour
        time.minute = minute
        time.second = second
        return true
    }
}
