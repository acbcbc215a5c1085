import CacheModel

/// Moments as the audit log writes them: `2026-11-24T11:42:01.123Z`.
package enum AuditTime {
    private static let dayMilliseconds: Int64 = 86_400_000

    /// - Parameter milliseconds: since 1970; of the years 1970 to 9999.
    package static func text(of milliseconds: Int64) -> String {
        let known = max(0, milliseconds)
        let (year, month, day) = civil(daysSince1970: Int(known / dayMilliseconds))
        let rest = Int(known % dayMilliseconds)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
        let clock = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(rest / 1_000 % 60, 2))"
        return "\(date)T\(clock).\(padded(rest % 1_000, 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The inverse of ``CacheModel/CivilTime/daysSince1970``, after the same work: a year begins
    /// with March.
    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let cycle = shifted / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let leapDays = dayOfCycle / 1_460 - dayOfCycle / 36_524 + dayOfCycle / 146_096
        let yearOfCycle = (dayOfCycle - leapDays) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// What people and the log write: a day, or a moment with or without milliseconds. Milliseconds
    /// since 1970; `nil` if it is none.
    package static func milliseconds(of text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let shapes = ["____-__-__", "____-__-__T__:__:__Z", "____-__-__T__:__:__.___Z"]
        guard shapes.contains(where: { fits(bytes, $0) }) else { return nil }
        func number(_ range: Range<Int>) -> Int {
            guard range.upperBound < bytes.count || range.upperBound == 10 else { return 0 }
            return bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        let time = CivilTime(
            year: number(0..<4), month: number(5..<7), day: number(8..<10),
            hour: number(11..<13), minute: number(14..<16), second: number(17..<19))
        guard time.exists else { return nil }
        return Int64(time.secondsSince1970) * 1_000 + Int64(number(20..<23))
    }

    private static func fits(_ bytes: [UInt8], _ shape: String) -> Bool {
        let wanted = Array(shape.utf8)
        return bytes.count == wanted.count
            && zip(bytes, wanted).allSatisfy { byte, wanted in
                wanted == UInt8(ascii: "_")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == wanted
            }
    }
}
