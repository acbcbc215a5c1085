/// An HTTP date, to the second: RFC 9110, 5.6.7. Of an answer's dates only their differences are
/// used, never the difference to a clock of this machine.
///
/// All three forms are read, the two old ones because recipients must accept them:
///
///     Sun, 06 Nov 1994 08:49:37 GMT       current form: it is written, too
///     Sunday, 06-Nov-94 08:49:37 GMT      RFC 850
///     Sun Nov  6 08:49:37 1994            asctime
///
/// Each is matched exactly, except for the case of letters; a zone other than GMT is not a date.
/// The day name must be one, but is not compared with the date.
package struct HTTPDate: Hashable, Comparable, Sendable {
    package let secondsSince1970: Int

    package init(secondsSince1970: Int) {
        self.secondsSince1970 = secondsSince1970
    }

    /// - Parameter reference: the base for "ahead" if the year has two digits. The RFC means now,
    ///   which is not known here; the answer's own Date serves as well. Without it the year lies
    ///   between 2000 and 2099.
    /// - Returns: `nil` if `text` is in none of the three forms, or names a day that never existed.
    package init?(_ text: FieldText, near reference: HTTPDate? = nil) {
        let form = DateCursor.currentForm(text) ?? DateCursor.oldForm(text, near: reference)
        guard let time = form ?? DateCursor.timeForm(text), time.exists else { return nil }
        secondsSince1970 = time.secondsSince1970
    }

    /// In the current form. Before 1970 it is the beginning of 1970.
    package var text: String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = CivilTime(secondsSince1970: secondsSince1970)
        // 1 January 1970 was a Thursday.
        let weekday = DateCursor.weekdays[(max(0, secondsSince1970) / 86_400 + 3) % 7]
        let day = "\(padded(time.day)) \(DateCursor.months[time.month - 1]) \(time.year)"
        let clock = [time.hour, time.minute, time.second].map(padded).joined(separator: ":")
        return "\(weekday), \(day) \(clock) GMT"
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    /// The time from `earlier` to this, limited to ``CacheDirectives/secondsMax``; zero if
    /// `earlier` is later.
    package func elapsed(since earlier: HTTPDate) -> Duration {
        let seconds = Int64(secondsSince1970 - earlier.secondsSince1970)
        return .seconds(min(max(seconds, 0), CacheDirectives.secondsMax))
    }
}
