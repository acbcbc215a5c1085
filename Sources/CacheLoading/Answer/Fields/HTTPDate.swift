import CacheModel

/// A moment as HTTP writes it, to the second: RFC 9110, 5.6.7. Only differences between dates of
/// one answer are used, never the distance from a clock of ours.
///
/// All three forms are read, the two old ones because recipients have to:
///
///     Sun, 06 Nov 1994 08:49:37 GMT       today's
///     Sunday, 06-Nov-94 08:49:37 GMT      RFC 850's
///     Sun Nov  6 08:49:37 1994            asctime's
///
/// Each is taken to the letter, but for the case of letters; another zone than GMT is no date. The
/// name of the day has to be one, but is not held against the date, which says the same better.
struct HTTPDate: Hashable, Comparable {
    let secondsSince1970: Int

    init(secondsSince1970: Int) {
        self.secondsSince1970 = secondsSince1970
    }

    /// - Parameter reference: what "ahead" is measured from where a year has two digits. The RFC
    ///   means now, which is not known here; the answer's own Date is as good. Without it the year
    ///   lies between 2000 and 2099.
    /// - Returns: `nil` if `text` is in none of the three forms, or names no day that ever was.
    init?(_ text: FieldText, near reference: HTTPDate? = nil) {
        let form = Self.currentForm(text) ?? Self.oldForm(text, near: reference)
        guard let time = form ?? Self.timeForm(text), time.exists else { return nil }
        secondsSince1970 = time.secondsSince1970
    }

    static func < (left: Self, right: Self) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    /// The time from `earlier` to this, cut to ``AnswerLimits/secondsMax``; zero if `earlier` is
    /// later.
    func elapsed(since earlier: HTTPDate) -> Duration {
        let seconds = Int64(secondsSince1970 - earlier.secondsSince1970)
        return .seconds(min(max(seconds, 0), AnswerLimits.secondsMax))
    }
}
