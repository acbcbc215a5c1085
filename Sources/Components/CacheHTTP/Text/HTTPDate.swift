/// A moment as HTTP writes it (RFC 9110, 5.6.7): `Tue, 24 Nov 2026 19:45:59 GMT`.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let daySeconds = 86_400

    /// - Parameter seconds: of the years 1970 to 9999; before that it is 1970.
    package static func text(secondsSince1970 seconds: Int) -> String {
        let known = max(0, seconds)
        let days = known / daySeconds
        let rest = known % daySeconds
        let (year, month, day) = date(daysSince1970: days)
        let clock = [rest / 3_600, rest / 60 % 60, rest % 60].map(padded).joined(separator: ":")
        return "\(Self.days[days % 7]), \(padded(day)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Counts years from March on, so that the day that some lack is the last.
    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let cycle = shifted / 146_097
        let dayOfCycle = shifted % 146_097
        let leapDays = dayOfCycle / 1_460 - dayOfCycle / 36_524 + dayOfCycle / 146_096
        let yearOfCycle = (dayOfCycle - leapDays) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    }
}
