import CacheAccess
import LoadTest

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// When `tail` heard of a record.
struct TailMoment: Hashable {
    /// `14:30:05.120`, of this machine's time zone.
    let clock: String
    /// `2026-11-24T13:30:05.120Z`.
    let stamp: String

    /// - Parameter milliseconds: since 1970.
    init(milliseconds: Int64) {
        stamp = AuditTime.text(of: milliseconds)
        var seconds = time_t(milliseconds / 1_000)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else {
            clock = stamp
            return
        }
        let parts = [local.tm_hour, local.tm_min, local.tm_sec].map { Self.padded(Int($0), 2) }
        clock = parts.joined(separator: ":") + "." + Self.padded(Int(milliseconds % 1_000), 3)
    }

    static var now: TailMoment { TailMoment(milliseconds: Int64(clamping: WallClock.now)) }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
