import Testing

@testable import ByteCoding

/// Dates as HTTP writes them.
@Suite struct HTTPDateTests {
    /// A day found by counting from the one before it, and from no formula.
    struct CountedDay {
        var year = 0
        var month = 1
        var day = 1
        /// 1 January of the year 0 is a Saturday, 719,528 days before that of 1970.
        var weekday = 5
        var daysSince1970 = -719_528

        mutating func advance() {
            day += 1
            weekday = (weekday + 1) % 7
            daysSince1970 += 1
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            if day > lengths[month - 1] {
                day = 1
                month += 1
            }
            if month > 12 {
                month = 1
                year += 1
            }
        }

        private var isLeap: Bool {
            year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
        }
    }

    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    static func padded(_ number: Int, _ count: Int, with pad: Character = "0") -> String {
        let digits = String(number)
        return String(repeating: pad, count: max(0, count - digits.count)) + digits
    }

    static func seconds(_ text: String, near reference: HTTPDate? = nil) -> Int? {
        HTTPDate(FieldText(text), near: reference)?.secondsSince1970
    }

    // MARK: Days

    /// All 3.65 million days of four-digit years, counted one by one.
    @Test func everyDayOfTenThousandYearsHasItsNumber() {
        var counted = CountedDay()
        var wrongCount = 0
        while counted.year < 10_000 {
            let time = CivilTime(
                year: counted.year, month: counted.month, day: counted.day, hour: 0, minute: 0,
                second: 0)
            if time.daysSince1970 != counted.daysSince1970 || !time.exists { wrongCount += 1 }
            counted.advance()
        }
        #expect(wrongCount == 0)
        #expect(counted.daysSince1970 == 2_932_897)
    }

    /// Every day of two hundred years, in all three forms, at another time of day each.
    @Test func everyDayIsReadInAllThreeForms() {
        var counted = CountedDay()
        var wrong: [String] = []
        while counted.year < 2_101 {
            defer { counted.advance() }
            if counted.year < 1_901 { continue }
            let secondOfDay = abs(counted.daysSince1970 &* 7_919) % 86_400
            let due = counted.daysSince1970 * 86_400 + secondOfDay
            let reference = HTTPDate(secondsSince1970: due)
            for text in Self.forms(of: counted, at: secondOfDay)
            where Self.seconds(text, near: reference) != due {
                wrong.append(text)
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    static func forms(of day: CountedDay, at secondOfDay: Int) -> [String] {
        let time = [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60]
            .map { padded($0, 2) }.joined(separator: ":")
        let weekday = weekdays[day.weekday]
        let short = weekday.prefix(3)
        let month = months[day.month - 1]
        let number = padded(day.day, 2)
        let year = padded(day.year, 4)
        return [
            "\(short), \(number) \(month) \(year) \(time) GMT",
            "\(weekday), \(number)-\(month)-\(year.suffix(2)) \(time) GMT",
            "\(short) \(month) \(padded(day.day, 2, with: " ")) \(time) \(year)",
        ]
    }

    /// Every time of two digits thrice whose parts are near an edge.
    @Test func aTimeIsReadIfADayHasIt() {
        let numbers = Array(0...2) + Array(22...25) + Array(57...62) + [99]
        var wrong: [String] = []
        for hour in numbers {
            for minute in numbers {
                for second in numbers {
                    let parts = [hour, minute, second]
                    let time = parts.map { Self.padded($0, 2) }.joined(separator: ":")
                    let exists = hour < 24 && minute < 60 && second < 60
                    let due = exists ? hour * 3_600 + minute * 60 + second : nil
                    // A leap second counts as the one before it.
                    let dueOrLeap = parts == [23, 59, 60] ? 86_399 : due
                    let read = Self.seconds("Thu, 01 Jan 1970 \(time) GMT")
                    if read != dueOrLeap { wrong.append(time) }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    // MARK: Forms

    static let accepted: [(text: String, seconds: Int)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun Nov 06 08:49:37 1994", 784_111_777),
        ("sUN, 06 nOV 1994 08:49:37 gmt", 784_111_777),
        ("sun nov  6 08:49:37 1994", 784_111_777),
        ("  Sun, 06 Nov 1994 08:49:37 GMT\t", 784_111_777),
        // NUL counts as a space.
        ("Sun, 06 Nov 1994 08:49:37\u{0}GMT", 784_111_777),
        // The name of the day is not held against the date.
        ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799),
    ]

    @Test(arguments: accepted)
    func aDateIsRead(text: String, seconds: Int) {
        #expect(Self.seconds(text) == seconds)
    }

    static let refused = [
        "", "0", "-1", "now", "784111777", "1994-11-06T08:49:37Z", "Sun", "Sun,",
        "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 ", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 GMTx",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT",
        "Sun, 06 Nvo 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun,06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06\tNov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 0٦ Nov 1994 08:49:37 GMT",
        "\"Sun, 06 Nov 1994 08:49:37 GMT\"", "Sun, 06 Nov 1994\u{1}08:49:37 GMT",
        // Days that never were.
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 32 Dec 1994 08:49:37 GMT", "Sun, 29 Feb 1994 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 30 Feb 2000 08:49:37 GMT",
        "Sun, 99 Nov 1994 08:49:37 GMT",
        // Times that never were.
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 23:59:61 GMT",
        // RFC 850.
        "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 6-Nov-94 08:49:37 GMT", "Sunday 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37", "Sunday, 06 Nov 94 08:49:37 GMT",
        // asctime.
        "Sun Nov 6 08:49:37 1994", "Sun Nov   6 08:49:37 1994", "Sun Nov  06 08:49:37 1994",
        "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 GMT 1994",
        "Sunday Nov  6 08:49:37 1994", "Sun, Nov  6 08:49:37 1994", "Sun Nov  0 08:49:37 1994",
    ]

    @Test(arguments: refused)
    func whatIsNoDateIsRefused(text: String) {
        #expect(Self.seconds(text) == nil)
    }

    /// Cut anywhere it is none, and with any one byte changed it is another or none.
    @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func noOtherTextIsTakenForTheSameDate(text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(HTTPDate(FieldText(exactly: bytes[..<count])) == nil)
        }
        for place in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[place] = byte
                let isSame = byte.lowercased == bytes[place].lowercased
                // A day may be written with a nought before it in both.
                let isPadding = bytes[place] == .space && byte == UInt8(ascii: "0")
                let read = HTTPDate(FieldText(exactly: changed[...]))
                #expect(isSame || isPadding || read?.secondsSince1970 != 784_111_777)
            }
        }
    }

    // MARK: Two digits

    static let centuries: [(reference: String?, year: String, due: String)] = [
        (nil, "94", "2094"), (nil, "00", "2000"), (nil, "99", "2099"),
        ("1994", "94", "1994"), ("1994", "95", "1995"), ("1994", "00", "2000"),
        ("1994", "44", "2044"), ("1994", "45", "1945"), ("2024", "74", "2074"),
        ("2024", "75", "1975"), ("2024", "24", "2024"), ("2024", "23", "2023"),
        ("2060", "05", "2105"), ("2060", "11", "2011"), ("0010", "50", "0050"),
    ]

    @Test(arguments: centuries)
    func twoDigitsAreTheLatestYearThatIsNotFarAhead(reference: String?, year: String, due: String)
        throws
    {
        let near = try reference.map {
            try #require(HTTPDate(FieldText("Sun, 06 Nov \($0) 08:49:37 GMT")))
        }
        let read = Self.seconds("Sunday, 06-Nov-\(year) 08:49:37 GMT", near: near)
        #expect(read == Self.seconds("Sun, 06 Nov \(due) 08:49:37 GMT"))
    }

    /// Fifty years to the second are not more than fifty years.
    @Test func fiftyYearsAreCountedToTheSecond() throws {
        let near = try #require(HTTPDate(FieldText("Sun, 06 Nov 1994 08:49:37 GMT")))
        let last = Self.seconds("Sunday, 06-Nov-44 08:49:37 GMT", near: near)
        #expect(last == Self.seconds("Sun, 06 Nov 2044 08:49:37 GMT"))
        let next = Self.seconds("Sunday, 06-Nov-44 08:49:38 GMT", near: near)
        #expect(next == Self.seconds("Sun, 06 Nov 1944 08:49:38 GMT"))
    }

    @Test func aDayThatIsNotInItsYearIsNoDate() throws {
        let near = try #require(HTTPDate(FieldText("Wed, 06 Nov 2080 08:49:37 GMT")))
        // It would be in 2100, which is no leap year.
        #expect(Self.seconds("Monday, 29-Feb-00 00:00:00 GMT", near: near) == nil)
        let first = try #require(HTTPDate(FieldText("Sun, 06 Nov 0010 08:49:37 GMT")))
        #expect(Self.seconds("Sunday, 06-Nov-90 08:49:37 GMT", near: first) == nil)
    }

    // MARK: Writing

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ])
    func aDateIsWrittenInTheCurrentForm(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).text == text)
    }

    /// Every day of two hundred years, at another time of day each.
    @Test func everyDateThatIsWrittenIsReadTheSame() {
        for day in 0..<73_049 {
            let date = HTTPDate(secondsSince1970: day * 86_400 + day * 7_919 % 86_400)
            if HTTPDate(FieldText(date.text)) != date { Issue.record("\(date.text)") }
        }
    }
}
