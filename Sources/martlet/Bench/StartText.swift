import CacheConfiguration
import CommandSurface
import Foundation

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
    /// - Parameters:
    ///   - now: likewise.
    ///   - calendar: whose time of day it is.
    /// - Throws: ``CommandFailure`` if it is over.
    func moment(now: UInt64, calendar: Calendar = .current) throws(CommandFailure) -> UInt64 {
        switch self {
        case .after(let duration):
            return now + UInt64(max(0, duration / .milliseconds(1)))
        case .clock(let hour, let minute, let second):
            let today = Date(timeIntervalSince1970: Double(now) / 1_000)
            let date = calendar.date(
                bySettingHour: hour, minute: minute, second: second, of: today)
            guard let date else {
                throw CommandFailure(.wrongUsage, "--start-at: there is no such time today")
            }
            let moment = UInt64(max(0, date.timeIntervalSince1970 * 1_000))
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
}
