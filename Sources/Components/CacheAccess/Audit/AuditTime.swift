import ByteCoding

/// Moments as the audit log writes them: `2026-11-24T11:42:01.123Z`.
package enum AuditTime {
    /// - Parameter milliseconds: since 1970; of the years 1970 to 9999.
    package static func text(of milliseconds: Int64) -> String {
        let known = Int(max(0, milliseconds))
        let time = CivilTime(secondsSince1970: known / 1_000)
        let date = "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
        let clock = [time.hour, time.minute, time.second].map { padded($0, 2) }
        return "\(date)T\(clock.joined(separator: ":")).\(padded(known % 1_000, 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
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
