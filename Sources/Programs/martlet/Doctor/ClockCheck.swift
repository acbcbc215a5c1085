import CacheModel
import Threading

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The calendar: dates in the list hold by it.
struct ClockCheck: DoctorCheck {
    private static let subject = "clock"

    func findings() async -> [DoctorFinding] {
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        return [Self.judge(year: year, isSynchronized: CalendarClock.isSynchronized)]
    }

    static func judge(year: Int, isSynchronized: Bool?) -> DoctorFinding {
        guard (DoctorLimits.yearMin...DoctorLimits.yearMax).contains(year) else {
            return .wrong(
                subject, "it is set to the year \(year), and dates in the list hold by it",
                remedy: "set it, and let chrony, ntpd or systemd-timesyncd keep it")
        }
        switch isSynchronized {
        case true: return .ok(subject, "synchronised")
        case false:
            return .warning(
                subject, "not synchronised, as far as the kernel knows",
                remedy: "run chrony, ntpd or systemd-timesyncd: keys expire by this clock")
        default: return .hint(subject, "this system does not say whether it is synchronised")
        }
    }
}
