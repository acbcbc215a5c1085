import CacheConfiguration
import CommandSurface
import LibC

/// When a load test begins, as people write it: `14:30:00` of today, or `+10s` from now.
enum StartText: Hashable {
    case clock(hour: Int, minute: Int, second: Int)
    case after(Duration)

    private static let example = "write 14:30:00, or +10s for ten seconds from now"

    static func parse(_ text: String) throws -> StartText {
        if text.hasPrefix("+") {
            let duration = try DurationText.parse(
                String(text.dropFirst()), in: .zero...(.seconds(86_400)))
            return .after(duration)
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count == 2 ? Int($0) : nil }
        guard (2...3).contains(parts.count), numbers.count == parts.count,
            (0...23).contains(numbers[0]), numbers.dropFirst().allSatisfy((0...59).contains)
        else { throw TextProblem(example) }
        return .clock(
            hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
    }

    /// The moment that is meant, in milliseconds since 1970.
    ///
    /// - Parameter now: likewise.
    /// - Throws: ``CommandFailure`` if it is over.
    func moment(now: UInt64) throws(CommandFailure) -> UInt64 {
        switch self {
        case .after(let duration):
            return now + UInt64(max(0, duration / .milliseconds(1)))
        case .clock(let hour, let minute, let second):
            guard let moment = Self.today(hour, minute, second, now: now) else {
                throw CommandFailure(.wrongUsage, "--start-at: there is no such time today")
            }
            guard moment > now else {
                let seconds = (now - moment) / 1_000
                throw CommandFailure(
                    .wrongUsage,
                    "--start-at: that was \(FigureText.timeLeft(.seconds(Int64(seconds)))) ago by "
                        + "this machine's clock; give a later time, or +10s")
            }
            return moment
        }
    }

    /// The moment today at which this machine's clock, in its time zone, shows that time: of two,
    /// the first that is not over.
    ///
    /// - Returns: `nil` if it never does, because the clock is put forward over it.
    private static func today(
        _ hour: Int, _ minute: Int, _ second: Int, now: UInt64
    ) -> UInt64? {
        var seconds = time_t(now / 1_000)
        var today = tm()
        guard localtime_r(&seconds, &today) != nil else { return nil }
        let wanted = [Int32(hour), Int32(minute), Int32(second)]
        let moments = [Int32(1), 0].compactMap { isSummerTime -> UInt64? in
            var fields = today
            (fields.tm_hour, fields.tm_min, fields.tm_sec) = (wanted[0], wanted[1], wanted[2])
            fields.tm_isdst = isSummerTime
            let moment = mktime(&fields)
            guard moment >= 0, fields.tm_isdst == isSummerTime,
                [fields.tm_hour, fields.tm_min, fields.tm_sec] == wanted
            else { return nil }
            return UInt64(moment) * 1_000
        }
        return moments.filter { $0 > now }.min() ?? moments.max()
    }
}
