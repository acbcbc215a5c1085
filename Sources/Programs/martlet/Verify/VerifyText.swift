import CacheConfiguration
import CacheModel
import CacheVerification

/// What people type for `verify`, read as what it means. Each throws a ``TextProblem``.
enum VerifyText {
    /// `50/s`, `50`: so many a second. `10%`: that share of all.
    static func amount(_ text: String) throws -> StandingPlan.Amount {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
                throw TextProblem("a share is above 0% and up to 100%, such as 1%")
            }
            return .share(percent / 100)
        }
        let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let rate = Int(number), (1...10_000).contains(rate) else {
            throw TextProblem("give 1/s to 10000/s, such as 50/s, or a share, such as 1%")
        }
        return .perSecond(rate)
    }

    /// `5/s`, `5`: so many a second. `none`: 0.
    static func originRate(_ text: String) throws -> Int {
        if text == "none" { return 0 }
        let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let rate = Int(number), (1...50).contains(rate) else {
            throw TextProblem("give 1/s to 50/s, such as 5/s, or none")
        }
        return rate
    }

    /// `1s,10s,60s`: rising, a second apart from nothing at least.
    static func delays(_ text: String) throws -> [Duration] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...StandingLimits.delayCountMax).contains(parts.count) else {
            throw TextProblem(
                "give one to \(StandingLimits.delayCountMax) durations, such as 1s,10s,60s")
        }
        let delays = try parts.map {
            try DurationText.parse(String($0), in: .milliseconds(100)...(.seconds(3_600)))
        }
        guard zip(delays, delays.dropFirst()).allSatisfy(<) else {
            throw TextProblem("each is longer than the one before it, such as 1s,10s,60s")
        }
        return delays
    }

    /// How long to go on: 1s to a year.
    static func span(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: .seconds(1)...(.seconds(366 * 86_400)))
    }
}
